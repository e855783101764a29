import { expect, it } from 'vitest'
import { namedContextsOf, withContexts } from './build-contexts.ts'
import { createReading } from './refuse.ts'

function read(value: unknown, directory = 'deploy') {
  const reading = createReading()
  const found = namedContextsOf(value, 'x', { directory, reading })
  reading.refuseIfAny()
  return found
}

it('contexts are directories of the repository and images, written as a mapping or a list', () => {
  const expected = [
    { name: 'shared', path: 'shared' },
    { name: 'base', image: 'docker.io/library/alpine:3' },
  ]
  expect(read({ shared: '../shared', base: 'docker-image://alpine:3' })).toEqual(expected)
  expect(read(['shared=../shared', 'base=docker-image://alpine:3'])).toEqual(expected)
})

it.each([
  [{ a: '/' }, 'is not a path in the repository'],
  [{ a: '../../x' }, 'is not a path in the repository'],
  [{ a: '~/x' }, 'is not a path in the repository'],
  [{ a: 'service:db' }, 'services are built on their own'],
  [{ a: 'https://example.com/x.tar' }, 'must be a path in the repository'],
  [{ a: 'https://example.com/x.git' }, 'must be a path in the repository'],
  [{ a: 'git@example.com:a/b' }, 'must be a path in the repository'],
  [{ a: 'oci-layout:///x' }, 'must be a path in the repository'],
  [{ a: 'docker-image://x y' }, 'is not the name of an image'],
  [{ 'a\nRUN x': '.' }, 'has a value that is not allowed'],
  [{ 'a b': '.' }, 'has a value that is not allowed'],
])('%j is refused', (value, why) => {
  expect(() => read(value)).toThrow(why)
})

it('each context is a stage before the first one, below the arguments of the file', () => {
  const contexts = [
    { name: 'shared', path: 'shared' },
    { name: 'base', image: 'alpine:3' },
  ]
  expect(withContexts('# syntax=docker/dockerfile:1\nARG V=1\nFROM base:$V\nCOPY --from=shared a b\n', contexts, 'web')).toBe(
    '# syntax=docker/dockerfile:1\nARG V=1\nFROM scratch AS shared\nCOPY .berth-contexts/shared/ /\nFROM alpine:3 AS base\nFROM base:$V\nCOPY --from=shared a b\n',
  )
  expect(() => withContexts('FROM x\nCOPY --from=0 a b', contexts, 'web')).toThrow('refers to a stage by its number')
  expect(() => withContexts('ARG x', contexts, 'web')).toThrow('has no FROM')
})
