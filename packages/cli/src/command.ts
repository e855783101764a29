import type { Call } from '@berth/contract'
import type { Follow } from './follow.ts'
import type { Output } from './output.ts'
import type { Prompt } from './prompt.ts'
import type { Settings } from './settings.ts'

/** 0 done, 1 failed, 2 wrong usage, 3 not logged in, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** Everything a command may use. */
export type Context = {
  api: Call
  out: Output
  settings: Settings
  prompt: Prompt
  follow: Follow
  now: () => Date
  /** Logs in to a server, or creates its first account if there is a setup token. Returns the token of the new session. */
  signIn: (url: string, credentials: { email: string; password: string; setupToken?: string }) => Promise<{ email: string; token: string }>
}

type Option = { type: 'boolean' | 'string'; short?: string; multiple?: true; value?: string; summary: string }
export type Options = Readonly<Record<string, Option>>
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export type Arguments = { readonly named: Readonly<Record<string, string>>; readonly more: readonly string[] }
type RequiredIn<Usage extends string> = Usage extends `${string}<${infer Name}>${infer Rest}` ? Name | RequiredIn<Rest> : never
type OptionalIn<Usage extends string> = Usage extends `${string}[${infer Name}]${infer Rest}` ? Name | OptionalIn<Rest> : never
/** The arguments named in a usage; `more` has the values of a last argument that ends in "...". */
type ArgumentsOf<Usage extends string> = Readonly<Record<RequiredIn<Usage>, string>> &
  Readonly<Partial<Record<OptionalIn<Usage>, string>>> & { readonly more: readonly string[] }

export type Command = {
  /** What follows `berth` on the command line, with <required> and [optional] arguments. Anything else is refused. */
  usage: string
  summary: string
  options: Options
  run: (ctx: Context, args: Arguments, values: Values) => Promise<ExitCode>
}

type Definition<Usage extends string> = {
  usage: Usage
  summary: string
  options?: Options
  run: (ctx: Context, args: ArgumentsOf<Usage>, values: Values) => Promise<ExitCode | void>
}

export function command<const Usage extends string>(definition: Definition<Usage>): Command {
  const { usage, summary, options = {}, run } = definition
  return {
    usage,
    summary,
    options,
    // readArguments parsed them with this usage
    run: async (ctx, { named, more }, values) => (await run(ctx, { ...named, more } as ArgumentsOf<Usage>, values)) ?? 0,
  }
}

/** The command line itself is wrong. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/** The command failed; `next` is the next thing to try. */
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
