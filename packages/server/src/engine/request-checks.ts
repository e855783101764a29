import { SpecRefused } from './api/errors.ts'

/** The building blocks of the allow lists for requests to the engine. */
export type Check = (value: unknown) => boolean

export const isWhole =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least
export const isText =
  (grammar: RegExp): Check =>
  (value) =>
    typeof value === 'string' && grammar.test(value)
export const isEvery =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
export const isSame =
  (wanted: unknown): Check =>
  (value) =>
    JSON.stringify(value) === JSON.stringify(wanted)

/** All required keys are present, and all present keys are known and valid. */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  rule: { checks: Readonly<Record<string, Check>>; needed: readonly string[]; path: string },
): void {
  for (const key of rule.needed) if (!Object.hasOwn(value, key)) refuseKey(rule.path + key)
  for (const key of Object.keys(value)) {
    const check = Object.hasOwn(rule.checks, key) ? rule.checks[key] : undefined
    if (check?.(value[key]) !== true) refuseKey(rule.path + key)
  }
}

export function refuseKey(key: string): never {
  throw new SpecRefused(key, `This container cannot be created: ${key} has a value that is not allowed.`)
}

export function hasOnly(value: unknown, keys: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).every((key) => keys.includes(key))
}
