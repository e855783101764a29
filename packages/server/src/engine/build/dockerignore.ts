import { setImmediate as nextTurn } from 'node:timers/promises'
import { SpecRefused } from '../api/errors.ts'
import { type PathPattern, type Places, parsePathPattern } from './path-pattern.ts'

/**
 * Which paths of a build context a `.dockerignore` leaves out. Paths are relative, with `/`. The last pattern that matches decides. Paths
 * of the same directory should follow each other: the directory is then matched only once.
 */
export type IgnoreRules = { isIgnored(path: string): Promise<boolean>; readonly hasExceptions: boolean }

type Rule = { readonly pattern: PathPattern; readonly isException: boolean }

// Every file of the repository is compared with every rule, so the number and the length of the rules are limited.
const MAX_CHARS = 64 * 1024
const MAX_RULES = 1000
const MAX_RULE_CHARS = 1024
/** Each `[class]` is a regular expression, which takes longer to make than to use. */
const MAX_CLASSES = 1000
/** For all paths together. A hundred rules with wildcards need about half of it for 100,000 files. */
const MAX_STEPS = 1_000_000_000
const STEPS_BETWEEN_PAUSES = 100_000

export function parseDockerignore(text: string, options: { signal?: AbortSignal | undefined; maxSteps?: number } = {}): IgnoreRules {
  if (text.length > MAX_CHARS)
    throw new SpecRefused('.dockerignore', `The .dockerignore file is too long. At most ${MAX_CHARS / 1024} KiB are allowed.`)
  if (text.split('[').length > MAX_CLASSES)
    throw new SpecRefused('.dockerignore', `The .dockerignore file has more than ${MAX_CLASSES} classes in brackets. Use wildcards.`)
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const count = lines.filter((line) => !/^(?:#|\s*$)/.test(line)).length
  if (count > MAX_RULES)
    throw new SpecRefused('.dockerignore', `The .dockerignore file has ${count} rules. At most ${MAX_RULES} are allowed.`)
  const rules = lines.flatMap(ruleOf)
  return {
    hasExceptions: rules.some(({ isException }) => isException),
    isIgnored: createMatcher(rules, createWork(options.maxSteps ?? MAX_STEPS, options.signal)),
  }
}

function createMatcher(rules: readonly Rule[], work: Work): IgnoreRules['isIgnored'] {
  let known: { directory: string; places: readonly Places[] } = { directory: '', places: rules.map(({ pattern }) => pattern.start) }

  async function read(places: readonly Places[], text: string): Promise<Places[]> {
    const after: Places[] = []
    for (const [index, { pattern }] of rules.entries()) {
      work.count(1) // also for a rule that can no longer match
      after.push(pattern.read(places[index] ?? pattern.start, text, work.count))
      if (work.isPauseDue()) await work.pause()
    }
    return after
  }

  /** The places after the directory and its slash. */
  async function enter(directory: string): Promise<readonly Places[]> {
    if (directory === known.directory) return known.places
    let places: readonly Places[] = rules.map(({ pattern }) => pattern.start)
    for (const name of directory.split('/').slice(0, -1)) places = await read(places, `${name}/`)
    known = { directory, places }
    return places
  }

  return async (path) => {
    const nameAt = path.lastIndexOf('/') + 1
    const places = await read(await enter(path.slice(0, nameAt)), path.slice(nameAt))
    const last = rules.findLast(({ pattern }, index) => pattern.isMatch(places[index] ?? pattern.start))
    return last !== undefined && !last.isException
  }
}

function ruleOf(line: string, index: number): Rule[] {
  const trimmed = line.startsWith('#') ? '' : line.trim()
  if (trimmed.length > MAX_RULE_CHARS)
    throw new SpecRefused(
      '.dockerignore',
      `Line ${index + 1} of the .dockerignore file is too long. A rule may have at most ${MAX_RULE_CHARS} characters.`,
    )
  const isException = trimmed.startsWith('!')
  const pattern = cleaned(isException ? trimmed.slice(1).trim() : trimmed)
  const parsed = pattern === '' ? null : parsePathPattern(pattern)
  // An unterminated [class] is ignored, as the engine's own tools do: better to send too much than to fail the build.
  return parsed === null ? [] : [{ pattern: parsed, isException }]
}

function cleaned(pattern: string): string {
  const parts: string[] = []
  for (const part of pattern.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

type Work = ReturnType<typeof createWork>

/** Limits the steps of all matches together, and pauses every few milliseconds so that requests are answered meanwhile. */
function createWork(maxSteps: number, signal: AbortSignal | undefined) {
  let taken = 0
  let sincePause = 0
  function count(steps: number): void {
    taken += steps
    sincePause += steps
    if (taken > maxSteps)
      throw new SpecRefused(
        '.dockerignore',
        'The .dockerignore file takes too long to compare with the files of the repository. Use fewer rules, or rules with fewer wildcards.',
      )
  }
  return {
    count,
    isPauseDue: () => sincePause > STEPS_BETWEEN_PAUSES,
    async pause(): Promise<void> {
      sincePause = 0
      await nextTurn()
      signal?.throwIfAborted()
    },
  }
}
