import type { Stage, StepName } from '@berth/contract'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { Step } from '../../../lib/step.ts'
import type { FailureFacts } from '../failure/facts.ts'
import type { LogStream } from '../log/log-lines.ts'
import type { Effects } from './effects.ts'

/** A failure with a message for the user, which becomes the deployment's `error_message`. */
export class DeploymentFailure extends Error {
  override readonly name = 'DeploymentFailure'
  readonly facts: FailureFacts | undefined
  constructor(message: string, options: { facts?: FailureFacts | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.facts = options.facts
  }
}

/** Everything that a stage can know and do. A stage never writes a status, and always honours the signal. */
export type Context = Effects & {
  readonly app: AppRow
  readonly deployment: DeploymentRow
  readonly config: ReleaseConfig
  /** Given to builds alone, and hidden in the log. */
  readonly buildSecrets: Readonly<Record<string, string>>
  readonly workspace: string
  readonly signal: AbortSignal
  readonly step: Step
  /** Begins a stage, with its label, progress and limits. */
  /** `words` are for the log, where the usual ones are not true. */
  readonly enter: (stage: StageName, words?: string) => Promise<void>
  /** Begins a step within a stage, at this fraction of the stage. */
  readonly begin: (step: StepName, fraction: number) => void
  /** The live release that it replaces; null if there is none. */
  readonly replaces: number | null
  /** Records the commit that is built. */
  readonly noteCommit: (commit: { hash: string; message: string; author: string }) => Promise<void>
  /** The image that is really pulled, with its digest. */
  readonly noteImage: (ref: string) => Promise<void>
  /** The app had no port, and the file says which: from now on it is the one of the app and of this release. */
  readonly notePort: (port: number) => Promise<void>
  /** Writes a line of ours to the log of the deployment. */
  readonly say: (line: string) => void
  /** The same, and adds it to the reason if the deployment fails. */
  readonly note: (sentence: string) => void
  /** A line printed by the user's build or container. */
  readonly output: (line: string, stream: Exclude<LogStream, 'berth'>) => void
  /** Activity that is not worth a line: a stage without activity for too long is ended. */
  readonly active: () => void
  /** How far the stage is, from 0 to 1. */
  readonly progress: (fraction: number) => void
}

export type StageName = Exclude<Stage, 'completed'>
