import type { Wanted } from './server-child.ts'

/**
 * The first ones are the server's: until then nothing has changed, and a crash ends the update. From `switching` on the supervisor carries
 * on, also after a crash.
 */
const SERVER_PHASES = ['downloading', 'checking', 'rehearsing', 'waiting'] as const
const SUPERVISOR_PHASES = ['switching', 'watching', 'returning'] as const
export type UpdatePhase = (typeof SERVER_PHASES)[number] | (typeof SUPERVISOR_PHASES)[number] | 'ended'

/** One update, as a file: written by the server or by the supervisor, by one of them at a time. */
export type UpdateRecord = {
  /** When it began, which also orders them. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly by: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly phase: UpdatePhase
  readonly outcome: 'succeeded' | 'failed' | null
  readonly error: string
  /** The phase that failed; records of early versions have none. */
  readonly failedIn?: UpdatePhase
  /** The new version has no migration, so that the old one can go on with what the new one wrote. */
  readonly keepsData: boolean
  /** Checks of /health that were good before the update, and must be good after it. */
  readonly goodBefore: readonly string[]
  /** How often the new version was started to be watched. */
  readonly attempts: number
}

export function isWithSupervisor({ phase }: UpdateRecord): boolean {
  return SUPERVISOR_PHASES.some((name) => name === phase)
}

export function isUnderWay({ phase }: UpdateRecord): boolean {
  return phase !== 'ended'
}

/** The server that it starts: what changed the schema must not write, because the database may go back. */
export function wantedBy({ to, keepsData }: Pick<UpdateRecord, 'to' | 'keepsData'>): Wanted {
  return { version: to, mode: keepsData ? 'normal' : 'checked' }
}
