import type { Deployment } from '@berth/contract'
import { setAppStatus } from '../../domain/app-status.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { appLane } from '../../domain/job-names.ts'
import { isUnfinished } from '../../domain/lifecycle.ts'
import { type DeploymentRow, findApp, findDeployment } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { createRedactor } from '../../lib/redact.ts'
import type { Step } from '../../lib/step.ts'
import type { Db, Tx } from '../../store/database.ts'
import { presentDeployment } from './history/lists-store.ts'
import type { BuildLogs } from './log/build-log.ts'
import { LAST_LINE } from './log/log-lines.ts'
import type { LogWriter } from './log/log-writer.ts'
import { DeploymentMovedOn, findActive, moveDeployment } from './store.ts'

type Deps = {
  db: Db
  logs: Pick<BuildLogs, 'openWriter'>
  cancelLane: (lane: string, deploymentId: number) => void
  step: Step
  now: () => Date
}

export function createCancel(deps: Deps) {
  const { db, step, now } = deps

  async function stopInTx(tx: Tx, caller: Caller, id: number): Promise<{ row: DeploymentRow; was: DeploymentRow['status'] }> {
    const at = now()
    const current = await findDeployment(tx, id)
    if (!current) throw new AppError('deployment_not_found')
    if (!isUnfinished(current.status)) throw new AppError('deployment_ended')
    const startedAt = current.started_at === null ? at : new Date(current.started_at)
    const duration = Math.max(0, Math.round((at.getTime() - startedAt.getTime()) / 1000))
    const change = { finished_at: at.toISOString(), duration, error_message: `Cancelled by ${caller.email}.` }
    const row = await moveDeployment(tx, { id, from: current.status, to: 'stopped', at, change })
    const words = { subject: 'app', subjectId: current.app_id, after: { deploymentId: id } } as const
    await recordAudit(tx, at, caller, { action: 'deployment.stop', ...words })
    if (current.status !== 'pending') {
      const isLive = (await findActive(tx, current.app_id)) !== undefined && (await findApp(tx, current.app_id))?.wanted === 'running'
      await setAppStatus(tx, at, current.app_id, { status: isLive ? 'running' : 'stopped', reason: '' })
    }
    return { row, was: current.status }
  }

  /** Without a log, as on a full disk, it is cancelled all the same; the deployment's job writes its last line later, if it can. */
  async function openLog(deploymentId: number): Promise<LogWriter | undefined> {
    return await deps.logs.openWriter(deploymentId, createRedactor([])).catch(() => undefined)
  }

  /** The status changes at once; a running job is cancelled and cleans up after itself. A deployment that has not started is ended here. */
  return async function cancel(caller: Caller, deployment: DeploymentRow): Promise<Deployment> {
    const writer = deployment.status === 'pending' ? await openLog(deployment.id) : undefined
    try {
      const { row, was } = await step(
        'db.stop',
        async () => await db.transaction(async (tx) => await stopInTx(tx, caller, deployment.id), { mayUseReserve: true }),
      ).catch((cause: unknown) => {
        if (cause instanceof DeploymentMovedOn) throw new AppError('deployment_ended', { cause })
        throw cause
      })
      if (was === 'pending') writer?.append(LAST_LINE.stopped, 'berth')
      else deps.cancelLane(appLane(row.app_id), row.id)
      return presentDeployment(row)
    } finally {
      await writer?.close()
    }
  }
}

export type Cancel = ReturnType<typeof createCancel>
