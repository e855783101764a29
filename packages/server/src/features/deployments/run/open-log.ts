import { errorCode } from '../../../lib/error-code.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Redactor } from '../../../lib/redact.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import type { BuildLogs } from '../log/build-log.ts'
import type { LogWriter } from '../log/log-writer.ts'
import { DeploymentFailure } from './stage.ts'

type Deps = { logs: Pick<BuildLogs, 'openWriter'>; log: Pick<Logger, 'error'> }
type Opened = { writer: LogWriter; problem?: DeploymentFailure }

const NO_LOG: LogWriter = { append: () => undefined, flush: async () => undefined, close: async () => undefined }

/** The log of a deployment. Without one it fails at once, and its row says why. On a full disk it waits, like the others. */
export function createOpenLog({ logs, log }: Deps) {
  return async function openLog(deploymentId: number, redactor: Redactor): Promise<Opened> {
    try {
      return { writer: await logs.openWriter(deploymentId, redactor, { holdsLease: true }) }
    } catch (cause) {
      if (isStorageFailure(cause)) throw cause
      log.error({ deploymentId, err: cause }, 'the log of a deployment cannot be written')
      const why = `The log of this deployment cannot be written (${errorCode(cause) ?? 'unknown error'}). Check the folder logs in the data directory, then deploy again.`
      return { writer: NO_LOG, problem: new DeploymentFailure(why, { cause }) }
    }
  }
}
