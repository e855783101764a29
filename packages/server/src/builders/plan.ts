import type { BuildPlan } from '@berth/contract'

/** What the app's settings, its Procfile and its berth.json specify; empty where detection decides. */
export type Overrides = {
  readonly install: Override
  readonly build: Override
  readonly start: Override
  readonly output: Override
}
export type Override = { readonly text: string; readonly from: string }

/** The input of every detector. */
export type BuildInput = {
  readonly overrides: Overrides
  /** The port that the app listens on; null for a service without one. */
  readonly port: number | null
  /** Only the names: they become variables of the build steps. */
  readonly buildArgs: readonly string[]
}

/** A plan, and the directory of the repository that is its build context. */
export type DetectedPlan = Omit<BuildPlan, 'builder'> & { readonly context: string }

export const NO_OVERRIDE: Override = { text: '', from: '' }

/** The configured command, or the detected one. */
export function chosen(override: Override, text: string, from: string): Override {
  return override.text === '' ? { text, from } : override
}

/** The commands that are not empty, for display. */
export function commandsOf(commands: Partial<Record<BuildPlan['commands'][number]['name'], Override | undefined>>): BuildPlan['commands'] {
  const names = ['install', 'build', 'start'] as const
  return names.flatMap((name) => {
    const command = commands[name]
    return command === undefined || command.text === '' ? [] : [{ name, command: command.text, from: command.from }]
  })
}
