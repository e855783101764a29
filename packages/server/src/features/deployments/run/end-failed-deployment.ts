import { kindOf } from '../../../domain/app-kinds.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Engine } from '../../../engine/engine.ts'
import { LABEL } from '../../../engine/labels.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Redactor } from '../../../lib/redact.ts'
import type { Step } from '../../../lib/step.ts'
import { JobCancelled } from '../../../queue/job-runner.ts'
import type { Reader } from '../../../store/database.ts'
import { isDatabaseFailure } from '../../../store/storage-failure.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { Launcher } from '../release/release.ts'
import { DeploymentMovedOn, findActive } from '../store.ts'
import type { LiveContext } from './context.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
import { failureReason, isExpectedFailure } from './failure-reason.ts'
import type { Routes } from './pipeline.ts'

type Deps = {
  db: Reader
  engine: Pick<Engine, 'images'>
  record: Pick<DeploymentRecord, 'failed'>
  launcherOf: (app: AppRow) => Launcher
  routes: Pick<Routes, 'restore'>
  /** Whether what served before still does, seen in the engine. */
  isServing: (appId: number, deploymentId: number) => Promise<boolean>
  step: Step
  instance: string
  log: Logger
  onChanged: () => void
}
type Ending = { cause: unknown; signal: AbortSignal; writer: LogWriter; redactor: Pick<Redactor, 'text'> }

/** The end of a deployment that did not succeed: what it made goes, what served before goes on, and a person reads why. */
export function createFailing(deps: Deps) {
  const { db, record } = deps

  async function failed(context: LiveContext, ending: Ending): Promise<void> {
    const { cause, signal, writer, redactor } = ending
    const { app } = context
    if (context.current().status === 'success')
      return deps.log.warn({ deploymentId: context.current().id, err: readable(cause, redactor) }, 'the old release was not removed yet')
    if (signal.aborted && !(signal.reason instanceof JobCancelled)) throw cause // the process stops; the deployment goes on after the start
    if (isDatabaseFailure(cause) && !signal.aborted) return await giveBack(context, cause)
    const reason = failureReason(context.deadlineReason() ?? cause, redactor)
    const isCancelled = signal.aborted || cause instanceof DeploymentMovedOn
    if (!isExpectedFailure(cause) && !isCancelled)
      deps.log.error({ deploymentId: context.current().id, err: readable(cause, redactor) }, 'deployment failed in an unexpected way')
    await undo(context)
    if (isCancelled) return context.say(LAST_LINE.stopped)
    context.say(LAST_LINE.failed(reason))
    await writer.flush()
    const active = await findActive(db, app.id)
    const isServing = active !== undefined && (await deps.isServing(app.id, active.id))
    const settled = settle(app, isServing, reason)
    const outcome = { reason, durationSeconds: context.seconds(), settled }
    await deps.step('db.failed', async () => await record.failed(context.current(), outcome)).catch(ignoreMovedOn)
  }

  /** It is not the deployment that failed: the database could not be written. Its job comes back once it can, and goes on with what was built. */
  async function giveBack(context: LiveContext, cause: unknown): Promise<never> {
    await undo(context, { keepsArtifact: true })
    context.say('The disk is full or read-only; this deployment goes on when it can be written again')
    throw cause
  }

  async function undo(context: LiveContext, options = { keepsArtifact: false }): Promise<void> {
    const { app } = context
    const row = context.current()
    const isNeeded = options.keepsArtifact && artifactOf(row) !== undefined
    try {
      if (row.status === 'deploying') {
        await deps.routes.restore(app.id)
        await deps.launcherOf(app).undo(context)
        deps.onChanged() // what served before may run again only now
      }
      // The images of a compose app go with the next sweep.
      if (!isNeeded && row.release_of === null && kindOf(app).madeFrom === 'dockerfile')
        await deps.step('engine.remove_image', async () => await removeImages(app.id, row.id))
    } catch (err) {
      deps.log.warn({ deploymentId: row.id, err }, 'a failed deployment was not cleaned up; the reconciler does it')
    }
  }

  /** Found by label: one that was built and not noted yet has a name that nobody knows. */
  async function removeImages(appId: number, deploymentId: number): Promise<void> {
    const labels = { [LABEL.instance]: deps.instance, [LABEL.app]: String(appId), [LABEL.deployment]: String(deploymentId) }
    for (const { id } of await deps.engine.images.list({ labels })) await deps.engine.images.remove(id)
  }

  return failed
}

/** The server's log is read by people who may not read the environment of every app. */
function readable(cause: unknown, { text }: Pick<Redactor, 'text'>): unknown {
  return cause instanceof Error ? { type: cause.name, message: text(cause.message), stack: text(cause.stack ?? '') } : cause
}

function settle(app: AppRow, isServing: boolean, reason: string): { status: 'running' | 'stopped' | 'error'; reason: string } {
  if (isServing) return { status: 'running', reason: '' }
  return app.wanted === 'stopped' ? { status: 'stopped', reason: '' } : { status: 'error', reason }
}

export function ignoreMovedOn(cause: unknown): undefined {
  if (cause instanceof DeploymentMovedOn) return undefined
  throw cause
}
