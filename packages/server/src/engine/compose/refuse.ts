import { SpecRefused } from '../api/errors.ts'

/** One reason why a compose file cannot be used. Reasons are collected, so that all are reported at once. */
class Objection extends Error {
  override readonly name = 'Objection'
  readonly key: string
  constructor(key: string, sentence: string) {
    super(sentence)
    this.key = key
  }
}

/** The longest key in a message, and the longest key with its path. */
const LONGEST_KEY = 80
const LONGEST_PLACE = 250
const LONGEST_NOTE = 1000
const MOST = { objections: 50, counted: 500, notes: 100, entries: 200 }

export function refuse(key: string, why = 'is not allowed. Remove it'): never {
  const short = key.replaceAll(/[^.\s]{81,}/g, (long) => `${long.slice(0, LONGEST_KEY)}…`).slice(0, LONGEST_PLACE)
  throw new Objection(short, `${short} ${why}.`)
}

/** The result of reading a compose file: reasons against it, and notes about what is left out or changed. */
export function createReading() {
  const objections: Objection[] = []
  const notes: string[] = []
  const unsaid = { objections: 0, notes: 0 }

  /** Records a reason instead of throwing, so that the rest of the file is still read. */
  function attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (cause) {
      if (!(cause instanceof Objection)) throw cause
      if (objections.length < MOST.objections) objections.push(cause)
      else unsaid.objections += 1
      return undefined
    }
  }

  /** Reads each entry of a list separately, until there are so many reasons that nobody counts them. */
  function each<Entry, Result>(at: string, entries: readonly Entry[], read: (entry: Entry) => Result): Result[] {
    if (entries.length > MOST.entries) attempt(() => refuse(at, `has more than ${MOST.entries} entries`))
    return entries.slice(0, MOST.entries).flatMap((entry) => (unsaid.objections < MOST.counted ? (attempt(() => [read(entry)]) ?? []) : []))
  }

  function note(sentence: string): void {
    if (notes.length < MOST.notes) notes.push(sentence.slice(0, LONGEST_NOTE))
    else unsaid.notes += 1
  }

  function refuseIfAny(): void {
    const [first, ...more] = objections
    if (first === undefined) return
    if (more.length === 0) throw new SpecRefused(first.key, `The compose file cannot be used: ${first.message}`)
    const reasons = objections.map(({ message }, index) => `(${index + 1}) ${message}`).join(' ')
    const rest = unsaid.objections === 0 ? '' : ` And ${unsaid.objections} more.`
    const count = objections.length + unsaid.objections
    throw new SpecRefused(first.key, `The compose file cannot be used, for ${count} reasons: ${reasons}${rest}`)
  }

  return {
    attempt,
    each,
    note,
    notes: (): readonly string[] => (unsaid.notes === 0 ? notes : [...notes, `And ${unsaid.notes} more notes.`]),
    refuseIfAny,
    objections: (): { key: string; reason: string }[] => [
      ...objections.map(({ key, message }) => ({ key, reason: message })),
      ...(unsaid.objections === 0 ? [] : [{ key: 'the file', reason: `And ${unsaid.objections} more reasons.` }]),
    ],
  }
}

export type Reading = ReturnType<typeof createReading>

/** A mapping that only has the listed keys; null counts as empty. Keys that start with x- are for other programs. */
export function mapping(value: unknown, at: string, keys?: readonly string[]): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) refuse(at, 'must be a mapping')
  for (const key of Object.keys(value)) if (keys !== undefined && !keys.includes(key) && !isExtension(key)) refuse(`${at}.${key}`)
  // An object and not an array; its values stay unknown.
  return value as Record<string, unknown>
}

export function isExtension(key: string): boolean {
  return key.startsWith('x-')
}

export function scalar(value: unknown, at: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return refuse(at, 'must be a string or a number')
}

export function matching(value: unknown, at: string, grammar: RegExp): string {
  const text = scalar(value, at)
  return grammar.test(text) ? text : refuse(at, 'has a value that is not allowed')
}

export function flag(value: unknown, at: string): boolean {
  if (typeof value === 'boolean') return value
  // an interpolated value is always a string
  return value === 'true' || (value === 'false' ? false : refuse(at, 'must be true or false'))
}

export function sequence(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(at, 'must be a list')
}

export function texts(value: unknown, at: string): string[] {
  return sequence(value, at).map((entry) => scalar(entry, at))
}

/** `KEY=value` lines or a mapping. A key without a value gets the app's own variable with that name, if there is one. */
export function variables(value: unknown, at: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs: (readonly [string, unknown])[] = Array.isArray(value) ? texts(value, at).map(pairOf) : Object.entries(mapping(value, at))
  const named = pairs.flatMap(([key, given]) => {
    matching(key, `${at} key`, /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/)
    const found = given ?? (Object.hasOwn(env, key) ? env[key] : undefined)
    return found === undefined ? [] : [[key, scalar(found, `${at}.${key}`)] as const]
  })
  return withinSizeLimit(Object.fromEntries(named), at)
}

const MOST_VARIABLES = 1024 ** 2

/** Refuses variables that together are longer than any environment needs. */
export function withinSizeLimit(found: Record<string, string>, at: string): Record<string, string> {
  const size = Object.entries(found).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return size <= MOST_VARIABLES ? found : refuse(at, `is longer than ${MOST_VARIABLES / 1024 ** 2} MiB with all its values`)
}

function pairOf(entry: string): readonly [string, string | undefined] {
  const equals = entry.indexOf('=')
  return equals === -1 ? [entry, undefined] : [entry.slice(0, equals), entry.slice(equals + 1)]
}
