import type { Stage, StepName } from '@berth/contract'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { Step } from '../../../lib/step.ts'
import type { FailureFacts } from '../failure/facts.ts'
import type { LogStream } from '../log/log-lines.ts'
import type { Effects } from './effects.ts'

/** What a person can act on: the message becomes the deployment's `error_message`. */
export class DeploymentFailure extends Error {
  override readonly name = 'DeploymentFailure'
  readonly facts: FailureFacts | undefined
  constructor(message: string, options: { facts?: FailureFacts | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.facts = options.facts
  }
}

/** Everything that a stage may know and do. It never writes a status, and it always honours the signal. */
export type Context = Effects & {
  readonly app: AppRow
  readonly deployment: DeploymentRow
  readonly config: ReleaseConfig
  readonly workspace: string
  readonly signal: AbortSignal
  readonly step: Step
  /** Begins a stage: its label, its progress, its limits. */
  readonly enter: (stage: StageName) => Promise<void>
  /** Begins a step within a stage, at this fraction of it. */
  readonly begin: (step: StepName, fraction: number) => void
  /** Whether a release is there that this one replaces. */
  readonly replaces: boolean
  /** The commit that is really built. */
  readonly noteCommit: (commit: { hash: string; message: string; author: string }) => Promise<void>
  /** The image that is really pulled, with its digest. */
  readonly noteImage: (ref: string) => Promise<void>
  /** A line of ours in the log of the deployment. */
  readonly say: (line: string) => void
  /** The same, and it belongs to the reason if this deployment fails. */
  readonly note: (sentence: string) => void
  /** A line that the user's build or container printed. */
  readonly output: (line: string, stream: Exclude<LogStream, 'berth'>) => void
  /** Something happened that is not worth a line: a stage in which nothing happens for too long is ended. */
  readonly active: () => void
  /** How far the stage is, from 0 to 1. */
  readonly progress: (fraction: number) => void
}

export type StageName = Exclude<Stage, 'completed'>
