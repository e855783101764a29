import { kindOf } from '../../../domain/app-kinds.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Redactor } from '../../../lib/redact.ts'
import type { Step } from '../../../lib/step.ts'
import { JobCancelled } from '../../../queue/job-runner.ts'
import type { Reader } from '../../../store/database.ts'
import { DatabaseLost } from '../../../store/database-lost.ts'
import { isDatabaseFailure } from '../../../store/storage-failure.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import { launcherOf } from '../release/release.ts'
import type { RestoreLater } from '../release/restore-later.ts'
import { DeploymentMovedOn, findActive } from '../store.ts'
import type { LiveContext } from './context.ts'
import type { DeploymentRecord, StatusAfter } from './deployment-writes.ts'
import { failureFacts, failureReason, isExpectedFailure } from './failure-reason.ts'
import type { Pipeline } from './pipeline.ts'

type Deps = {
  db: Reader
  record: Pick<DeploymentRecord, 'failed'>
  pipeline: Pick<Pipeline, 'launchers' | 'routes'>
  /** Whether the previous release is still running, according to the engine. */
  isServing: (appId: number, deploymentId: number) => Promise<boolean>
  /** Removes the images that a deployment has built. */
  removeImages: (appId: number, deploymentId: number) => Promise<void>
  step: Step
  log: Logger
  onChanged: (appId: number) => void
  restoreLater: RestoreLater
}
type Ending = { cause: unknown; signal: AbortSignal; redactor: Pick<Redactor, 'text' | 'lines'> }

export type EndFailed = (context: LiveContext, ending: Ending) => Promise<void>

/** Ends a deployment that did not succeed: removes what it created, restores the previous release and records the reason. */
export function createEndFailed(deps: Deps): EndFailed {
  const { db, record, pipeline } = deps

  async function endFailed(context: LiveContext, ending: Ending): Promise<void> {
    const { cause, signal, redactor } = ending
    const { app } = context
    if (context.deployment.status === 'success')
      return deps.log.warn({ deploymentId: context.deployment.id, err: readable(cause, redactor) }, 'the old release was not removed yet')
    if (signal.aborted && !(signal.reason instanceof JobCancelled)) throw cause // Berth is stopping; it continues after the restart
    if (isDatabaseFailure(cause) && !signal.aborted) return await giveBack(context, cause)
    const reason = failureReason(context.deadlineReason() ?? cause, redactor, context.notes())
    const facts = failureFacts(context.deadlineReason() ?? cause)
    const isCancelled = signal.aborted || cause instanceof DeploymentMovedOn
    if (!isExpectedFailure(cause) && !isCancelled)
      deps.log.error({ deploymentId: context.deployment.id, err: readable(cause, redactor) }, 'deployment failed in an unexpected way')
    if (!(await undo(context))) await deps.restoreLater(app)
    if (isCancelled) return context.say(LAST_LINE.stopped)
    context.say(LAST_LINE.failed(reason))
    await context.flush()
    const active = await findActive(db, app.id)
    const isServing = active !== undefined && (await deps.isServing(app.id, active.id))
    const appStatus = statusAfter(app, isServing, reason)
    const outcome = { reason, facts, durationSeconds: context.seconds(), steps: context.endedSteps(), appStatus }
    await deps.step('db.failed', async () => await record.failed(context.deployment, outcome)).catch(ignoreMovedOn)
  }

  /**
   * The deployment did not fail, but the database could not be written. Its job is retried later and continues with what was built. Nothing
   * is undone for a lost database, which may have made the release live: the next run reads the row, as after a crash.
   */
  async function giveBack(context: LiveContext, cause: unknown): Promise<never> {
    if (cause instanceof DatabaseLost) {
      context.say('The database does not respond; this deployment continues once it does')
      throw cause
    }
    await undo(context, { keepsArtifact: true })
    context.say('The disk is full or read-only; this deployment continues once it can be written again')
    throw cause
  }

  /** Returns whether everything was undone. */
  async function undo(context: LiveContext, options = { keepsArtifact: false }): Promise<boolean> {
    const { app, deployment: row } = context
    const isNeeded = options.keepsArtifact && artifactOf(row) !== undefined
    try {
      if (row.status === 'deploying') {
        await pipeline.routes.restore(app.id)
        await launcherOf(pipeline.launchers, app).undo(context)
        deps.onChanged(app.id) // the previous release may be running again only now
      }
      // The images of a compose app are removed by the next sweep.
      if (!isNeeded && row.release_of === null && kindOf(app).madeFrom === 'dockerfile')
        await deps.step('engine.remove_image', () => deps.removeImages(app.id, row.id))
      return true
    } catch (err) {
      deps.log.warn({ deploymentId: row.id, err }, 'a failed deployment was not cleaned up; trying again')
      return false
    }
  }

  return endFailed
}

/** Redacted, because people who read the server's log may not be allowed to see the environment of every app. */
function readable(cause: unknown, { text }: Pick<Redactor, 'text'>): unknown {
  return cause instanceof Error ? { type: cause.name, message: text(cause.message), stack: text(cause.stack ?? '') } : cause
}

function statusAfter(app: AppRow, isServing: boolean, reason: string): StatusAfter {
  if (isServing) return { status: 'running', reason: '' }
  return app.wanted === 'stopped' ? { status: 'stopped', reason: '' } : { status: 'error', reason }
}

export function ignoreMovedOn(cause: unknown): undefined {
  if (cause instanceof DeploymentMovedOn) return undefined
  throw cause
}
