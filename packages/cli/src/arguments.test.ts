import { describe, expect, it } from 'vitest'
import { nameOf, readArguments } from './arguments.ts'
import { topics } from './commands.ts'

const usages = Object.values(topics)
  .flat()
  .map(({ usage }) => usage)

describe('the arguments of a command', () => {
  it('have the names of the usage', () => {
    expect(readArguments('env pull <app> [file]', ['web', '.env'])).toEqual({ named: { app: 'web', file: '.env' }, more: [] })
    expect(readArguments('env pull <app> [file]', ['web'])).toEqual({ named: { app: 'web' }, more: [] })
    expect(readArguments('env set <app> <KEY=VALUE...>', ['web', 'A=1', 'B=2'])).toEqual({ named: { app: 'web' }, more: ['A=1', 'B=2'] })
  })

  it('are refused when one is missing, empty or too many', () => {
    expect(() => readArguments('deploy <app>', [])).toThrow('<app> is missing.')
    expect(() => readArguments('deploy <app>', [''])).toThrow('<app> is missing.')
    expect(() => readArguments('env set <app> <KEY=VALUE...>', ['web'])).toThrow('<KEY=VALUE> is missing.')
    expect(() => readArguments('deploy <app>', ['web', 'now'])).toThrow('Unexpected argument: now')
  })
})

describe('the usages', () => {
  it.each(usages.filter((usage) => !usage.includes('...')))('%s takes what it names and nothing more', (usage) => {
    const words = (usage.match(/[<[]/g) ?? []).map(() => 'x')
    expect(Object.keys(readArguments(usage, words).named)).toHaveLength(words.length)
    expect(() => readArguments(usage, [...words, 'extra'])).toThrow('Unexpected argument: extra')
  })

  it('have names of their own, and an argument that repeats is the last', () => {
    expect(new Set(usages.map(nameOf)).size).toBe(usages.length)
    for (const usage of usages) expect(usage).not.toMatch(/\.\.\.[>\]] /)
  })
})
