import { expect, it } from 'vitest'
import { wordsOf } from './command-line.ts'

it.each([
  ['npm start', ['npm', 'start']],
  ['  redis-server   --save 60 1\n', ['redis-server', '--save', '60', '1']],
  [`sh -c 'echo "a b" && exec node'`, ['sh', '-c', 'echo "a b" && exec node']],
  [`say "it's \\"here\\"" a\\ b`, ['say', `it's "here"`, 'a b']],
  [`--name=''`, ['--name=']],
  [`'' x`, ['', 'x']],
  ['echo $HOME `id` $(id) ; rm', ['echo', '$HOME', '`id`', '$(id)', ';', 'rm']],
  ['', []],
])('%j is %j', (line, words) => {
  expect(wordsOf(line, 'command')).toEqual(words)
})

it.each([`sh -c 'open`, 'say "open', 'ends with \\'])('%j is refused', (line) => {
  expect(() => wordsOf(line, 'services.a.command')).toThrow('services.a.command has a quotation mark that is never closed')
})
