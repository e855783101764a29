import { EdgeUnavailable } from '../../../edge/edge.ts'
import { BuilderSilent, BuildFailed, EngineError, EngineUnreachable, SpecRefused } from '../../../engine/api/errors.ts'
import { ComposeFailed } from '../../../engine/compose/cli.ts'
import { SourceError } from '../../../git/errors.ts'
import type { Redactor } from '../../../lib/redact.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import { DeploymentFailure } from './stage.ts'

/** A stage that took longer than it may. */
export class StageTimedOut extends Error {
  override readonly name = 'StageTimedOut'
}

const LONGEST = 2000
const SAYS_IT_ITSELF = [DeploymentFailure, SourceError, StageTimedOut, SpecRefused, BuilderSilent, ComposeFailed]
const UNEXPECTED = 'Something went wrong inside Berth; its log has the details under this deployment.'

/** Nothing where it is a fault of ours. */
function wordsOf(cause: unknown): string | undefined {
  if (SAYS_IT_ITSELF.some((kind) => cause instanceof kind)) return (cause as Error).message // each of them is an Error
  if (cause instanceof BuildFailed) {
    if (cause.outOfMemory) return 'The build ran out of memory and was ended. Make the build smaller, or give the server more memory.'
    return cause.message
  }
  if (cause instanceof EdgeUnavailable) return `The edge did not take the new route, so nothing was changed. ${cause.message}`
  if (cause instanceof EngineUnreachable)
    return 'The container engine did not answer. See the health page for what to do, then deploy again.'
  if (cause instanceof EngineError)
    return /no space left/i.test(cause.message)
      ? 'There is no space left on the disk. Free some, then deploy again.'
      : `The container engine refused: ${cause.message}`
  if (isStorageFailure(cause)) return 'There is no space left on the disk, or it is read-only. Free some, then deploy again.'
  return undefined
}

/** What a person reads on a failed deployment. What a build or a container printed may be in it. */
export function failureReason(cause: unknown, redactor: Pick<Redactor, 'text'>): string {
  return redactor.text(wordsOf(cause) ?? UNEXPECTED).slice(0, LONGEST) // in this order: half a secret would not be found
}

export function isExpectedFailure(cause: unknown): boolean {
  return wordsOf(cause) !== undefined
}
