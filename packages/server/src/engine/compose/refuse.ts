import { SpecRefused } from '../api/errors.ts'

export function refuse(key: string, why = 'is not allowed'): never {
  throw new SpecRefused(key, `The compose file cannot be used: ${key} ${why}.`)
}

/** A mapping whose keys are all in the list; an empty value counts as an empty mapping. */
export function mapping(value: unknown, at: string, keys?: readonly string[]): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) refuse(at, 'must be a mapping')
  for (const key of Object.keys(value)) if (keys !== undefined && !keys.includes(key)) refuse(`${at}.${key}`)
  // An object that is no array; its values stay unknown.
  return value as Record<string, unknown>
}

export function scalar(value: unknown, at: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return refuse(at, 'must be a text or a number')
}

export function matching(value: unknown, at: string, grammar: RegExp): string {
  const text = scalar(value, at)
  return grammar.test(text) ? text : refuse(at, 'has a value that is not allowed')
}

export function flag(value: unknown, at: string): boolean {
  return typeof value === 'boolean' ? value : refuse(at, 'must be true or false')
}

export function sequence(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(at, 'must be a list')
}

export function texts(value: unknown, at: string): string[] {
  return sequence(value, at).map((entry) => scalar(entry, at))
}

/** `KEY=value` lines or a mapping. A key without a value takes the app's own variable of that name, if there is one. */
export function variables(value: unknown, at: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs: (readonly [string, unknown])[] = Array.isArray(value) ? texts(value, at).map(pairOf) : Object.entries(mapping(value, at))
  const named = pairs.flatMap(([key, given]) => {
    matching(key, `${at} key`, /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/)
    const found = given ?? (Object.hasOwn(env, key) ? env[key] : undefined)
    return found === undefined ? [] : [[key, scalar(found, `${at}.${key}`)] as const]
  })
  return Object.fromEntries(named)
}

function pairOf(entry: string): readonly [string, string | undefined] {
  const equals = entry.indexOf('=')
  return equals === -1 ? [entry, undefined] : [entry.slice(0, equals), entry.slice(equals + 1)]
}
