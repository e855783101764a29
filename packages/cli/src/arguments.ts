import { type Arguments, type Values, WrongUsage } from './command.ts'

/** The words of a usage before its arguments: "apps create <name>" is called "apps create". */
export function nameOf(usage: string): string {
  return usage.split(/ [<[]/, 1)[0] ?? usage
}

/** Maps the words of the command line to the names in the usage. Missing and extra words are errors. */
export function readArguments(usage: string, words: readonly string[]): Arguments {
  const named: Record<string, string> = {}
  let left = [...words]
  let more: string[] = []
  for (const [slot, required, optional] of usage.matchAll(/<([^>]+)>|\[([^\]]+)\]/g)) {
    const name = required ?? optional ?? ''
    if (required !== undefined && (left[0] ?? '') === '') throw new WrongUsage(`${slot.replace('...', '')} is missing.`)
    if (name.endsWith('...')) [more, left] = [left, []]
    else if (left[0] !== undefined) named[name] = left.shift() ?? ''
  }
  if (left[0] !== undefined) throw new WrongUsage(`Unexpected argument: ${left[0]}`)
  return { named, more }
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function requiredText(values: Values, name: string): string {
  const value = textOf(values, name)
  if (value === undefined || value === '') throw new WrongUsage(`--${name} is missing.`)
  return value
}

export function textsOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new WrongUsage(`${name} must be a whole number.`)
  return Number(text)
}

export function wholeNumberOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name)
  return text === undefined ? undefined : wholeNumber(text, `--${name}`)
}

/** For commands that destroy something. */
export const YES = { yes: { type: 'boolean', short: 'y', summary: 'do not ask for confirmation' } } as const
