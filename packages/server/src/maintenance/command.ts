export type Terminal = {
  print: (text: string) => void
  complain: (text: string) => void
  /** The input is not echoed. */
  askSecret: (question: string) => Promise<string>
}

export type CommandInput = {
  readonly positionals: readonly string[]
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
}

export type Command = {
  readonly about: string
  /** The names of the positional arguments. */
  readonly takes: readonly string[]
  readonly isLastOptional?: boolean
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>
  /** Returns the exit code. */
  run: (input: CommandInput, terminal: Terminal) => Promise<number>
}

/** The command line is not valid. */
export class UsageError extends Error {}
