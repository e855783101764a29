import type { Call } from '@berth/contract'
import type { Follow } from './follow.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'
import type { Settings } from './settings.ts'

/** 0 done, 1 failed, 2 wrong usage, 3 not signed in, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** All that a command may touch. */
export type Context = {
  api: Call
  out: Output
  settings: Settings
  prompt: Prompt
  follow: Follow
  /** Logs in at an address and gives the token of the new session. */
  signIn: (url: string, credentials: { email: string; password: string }) => Promise<{ email: string; token: string }>
}

type Option = { type: 'boolean' | 'string'; short?: string; value?: string; summary: string }
export type Values = Readonly<Record<string, string | boolean | undefined>>

export type Command = {
  /** How it is called, after the word `berth`; <angle brackets> must be given, [square ones] may. */
  usage: string
  summary: string
  options: Readonly<Record<string, Option>>
  run: (ctx: Context, positionals: readonly string[], values: Values) => Promise<ExitCode>
}

/** The command line itself is wrong; the usage is shown with it. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/** What was asked cannot be done; `next` is the next thing to try. */
export class CannotDo extends Error {
  override readonly name = 'CannotDo'
  readonly code: string
  readonly next: string
  constructor(code: string, message: string, next: string) {
    super(message)
    this.code = code
    this.next = next
  }
}

/** A positional argument that must be there. */
export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new WrongUsage(`<${name}> is missing.`)
  return value
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function wholeNumberOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new WrongUsage(`--${name} must be a whole number.`)
  return Number(text)
}
