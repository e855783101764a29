export type Terminal = {
  print: (text: string) => void
  complain: (text: string) => void
  /** What is typed is not shown. */
  askSecret: (question: string) => Promise<string>
}

export type CommandInput = {
  readonly positionals: readonly string[]
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
}

export type Command = {
  readonly about: string
  /** Names of what stands behind the command. */
  readonly takes: readonly string[]
  readonly isLastOptional?: boolean
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>
  /** Answers the exit code. */
  run: (input: CommandInput, terminal: Terminal) => Promise<number>
}

/** The command was typed in a way that it does not understand. */
export class UsageError extends Error {}
