import type { JobHandlers } from '../../../domain/job-names.ts'
import type { DeploymentRow } from '../../../domain/rows.ts'
import type { Logger } from '../../../lib/logger.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import type { BuildLogs } from '../log/build-log.ts'
import { LAST_LINE } from '../log/log-lines.ts'

type Deps = { logs: Pick<BuildLogs, 'finish'>; restore: JobHandlers['app.restore']; log: Pick<Logger, 'warn'> }

/**
 * For a deployment that ended without a running job: cancelled in the queue, or right before a crash. Adds the missing last line to its
 * log. For one that was cancelled, the live release may have been stopped and not started again.
 */
export function createFinishEnded({ logs, restore, log }: Deps) {
  return async function finishEnded(row: DeploymentRow, signal: AbortSignal): Promise<void> {
    if (row.status === 'stopped' && row.started_at !== null) await restore({ appId: row.app_id }, signal)
    await logs.finish(row.id, lastLineOf(row)).catch((cause: unknown) => {
      if (isStorageFailure(cause)) throw cause
      log.warn({ deploymentId: row.id, err: cause }, 'the last line of a log was not written')
    })
  }
}

function lastLineOf({ status, error_message }: DeploymentRow): string {
  if (status === 'failed') return LAST_LINE.failed(error_message)
  return status === 'stopped' ? LAST_LINE.stopped : LAST_LINE.success
}
