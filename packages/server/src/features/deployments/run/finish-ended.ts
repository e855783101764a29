import type { JobHandlers } from '../../../domain/job-names.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { Logger } from '../../../lib/logger.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import type { BuildLogs } from '../log/build-log.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { RestoreLater } from '../release/restore-later.ts'

type Deps = {
  logs: Pick<BuildLogs, 'finish'>
  restore: JobHandlers['app.restore']
  restoreLater: RestoreLater
  log: Pick<Logger, 'warn'>
}

/** For deployments that ended without a running job. For one that was cancelled, the live release may have been stopped and not started again. */
export function createFinishEnded({ logs, restore, restoreLater, log }: Deps) {
  /** Cancelled in the queue, or right before a crash. Adds the missing last line to its log. */
  async function finishEnded(row: DeploymentRow, signal: AbortSignal): Promise<void> {
    if (row.status === 'stopped' && row.started_at !== null) await restore({ appId: row.app_id }, signal)
    await logs.finish(row.id, lastLineOf(row)).catch((cause: unknown) => {
      if (isStorageFailure(cause)) throw cause
      log.warn({ deploymentId: row.id, err: cause }, 'the last line of a log was not written')
    })
  }

  /** Cancelled between two runs, after this one has read its row. One that was waiting has done nothing. */
  async function endedMeanwhile(app: AppRow, row: DeploymentRow, writer: Pick<LogWriter, 'append'>): Promise<void> {
    if (row.status !== 'pending') await restoreLater(app) // not here: this job may have been cancelled too
    writer.append(LAST_LINE.stopped, 'berth')
  }

  return { finishEnded, endedMeanwhile }
}

function lastLineOf({ status, error_message }: DeploymentRow): string {
  if (status === 'failed') return LAST_LINE.failed(error_message)
  return status === 'stopped' ? LAST_LINE.stopped : LAST_LINE.success
}
