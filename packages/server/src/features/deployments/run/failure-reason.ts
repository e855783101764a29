import { EdgeUnavailable } from '../../../edge/edge.ts'
import {
  BuilderSilent,
  BuildFailed,
  EngineError,
  EngineUnreachable,
  PullTooSlow,
  ServerAway,
  SpecRefused,
  VolumeLost,
} from '../../../engine/api/errors.ts'
import { RepositoryUnreachable, SourceError } from '../../../git/errors.ts'
import type { Redactor } from '../../../lib/redact.ts'
import { DatabaseLost } from '../../../store/database-lost.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import { buildWords } from '../failure/build-words.ts'
import type { FailureFacts } from '../failure/facts.ts'
import { startCommandWords } from '../failure/start-command.ts'
import { DeploymentFailure } from './stage.ts'

/** A stage that exceeded its time limit. */
export class StageTimedOut extends Error {
  override readonly name = 'StageTimedOut'
}

const LONGEST = 2000
/** Every line of it is searched for secrets. */
const LONGEST_READ = 32 * 1024
const SAYS_IT_ITSELF = [DeploymentFailure, ServerAway, VolumeLost, SourceError, StageTimedOut, SpecRefused, BuilderSilent, PullTooSlow]
const PASSES = [StageTimedOut, ServerAway, EngineUnreachable, EdgeUnavailable, RepositoryUnreachable, BuilderSilent, PullTooSlow]
const UNEXPECTED = 'Something went wrong inside Berth; its log has the details under this deployment.'

type Words = (redactor: Pick<Redactor, 'lines'>) => string

/** Undefined for a bug of ours. The message is computed only on request, because that means searching the output. */
function wordsOf(cause: unknown): Words | undefined {
  if (SAYS_IT_ITSELF.some((kind) => cause instanceof kind)) return () => (cause as Error).message // each of them is an Error
  if (cause instanceof BuildFailed) return ({ lines }) => buildWords(cause, lines)
  if (cause instanceof EdgeUnavailable) return () => `The proxy did not accept the new route, so nothing was changed. ${cause.message}`
  if (cause instanceof EngineUnreachable)
    return () => 'The container engine did not respond. See the health page for what to do, then deploy again.'
  if (cause instanceof EngineError) return () => engineWords(cause.message)
  if (cause instanceof DatabaseLost) return () => "Berth's database does not respond. Deploy again when it does."
  if (isStorageFailure(cause)) return () => 'There is no space left on the disk, or it is read-only. Free some, then deploy again.'
  return undefined
}

/** Most often the start command cannot be executed, for which the engine's own message is long. */
function engineWords(message: string): string {
  if (/no space left/i.test(message)) return 'There is no space left on the disk. Free some, then deploy again.'
  return startCommandWords(message) ?? `The container engine refused: ${message}`
}

/** The message shown for a failed deployment. It may quote output of the build or the container. */
export function failureReason(cause: unknown, redactor: Pick<Redactor, 'text' | 'lines'>, notes: readonly string[] = []): string {
  const isOfTheApp = cause instanceof BuildFailed || cause instanceof DeploymentFailure
  const words = [wordsOf(cause)?.(redactor) ?? UNEXPECTED, ...(isOfTheApp ? notes : [])].join(' – ')
  const read = words.length > LONGEST_READ ? `${words.slice(0, LONGEST_READ)}…` : words // the mark hides the beginning of a secret before it
  return redactor.text(read).slice(0, LONGEST) // redacted first, because half a secret would not be recognised
}

/** What suggestions are made from, if known. A bug of ours counts as temporary. */
export function failureFacts(cause: unknown): FailureFacts | undefined {
  if (cause instanceof DeploymentFailure) return cause.facts
  if (cause instanceof DatabaseLost) return { kind: 'passing' }
  const isDiskFull =
    isStorageFailure(cause) || ((cause instanceof BuildFailed || cause instanceof EngineError) && /no space left/i.test(cause.message))
  if (isDiskFull) return { kind: 'full_disk' }
  return PASSES.some((kind) => cause instanceof kind) || !isExpectedFailure(cause) ? { kind: 'passing' } : undefined
}

export function isExpectedFailure(cause: unknown): boolean {
  return wordsOf(cause) !== undefined
}
