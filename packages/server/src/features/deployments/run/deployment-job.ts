import { join } from 'node:path'
import type { JobHandlers, JobPayloads } from '../../../domain/job-names.ts'
import { isUnfinished } from '../../../domain/lifecycle.ts'
import { type AppRow, type DeploymentRow, findApp, findDeployment } from '../../../domain/rows.ts'
import { errorCode } from '../../../lib/error-code.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor, type Redactor } from '../../../lib/redact.ts'
import { removeTree } from '../../../lib/remove-tree.ts'
import type { Step } from '../../../lib/step.ts'
import type { Tuning } from '../../../lib/tuning.ts'
import type { Reader } from '../../../store/database.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import type { BuildLogs } from '../log/build-log.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { SharedPlans } from '../release/compose/shared-plans.ts'
import type { RestoreLater } from '../release/restore-later.ts'
import { findActive } from '../store.ts'
import { createContext } from './context.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
import { type EndFailed, ignoreMovedOn } from './end-failed-deployment.ts'
import { createFinishEnded } from './finish-ended.ts'
import { deploy, type Pipeline } from './pipeline.ts'
import type { Preflight } from './preflight.ts'
import type { BuildSettingsOf } from './release-settings.ts'
import { DeploymentFailure } from './stage.ts'

type Deps = {
  db: Reader
  logs: BuildLogs
  record: DeploymentRecord
  settingsOf: BuildSettingsOf
  preflight: Preflight
  pipeline: Pipeline
  endFailed: EndFailed
  cleanUp: (app: AppRow) => Promise<void>
  /** If there are several nodes: the plans that others made. */
  sharedPlans: Pick<SharedPlans, 'fetchApp'> | undefined
  restore: JobHandlers['app.restore']
  restoreLater: RestoreLater
  workDir: string
  step: Step
  tuning: Tuning
  log: Logger
  now: () => Date
}

type Work = Awaited<ReturnType<BuildSettingsOf>> & { app: AppRow; row: DeploymentRow; writer: LogWriter; redactor: Redactor }

/** The job that runs a deployment. It may run twice: it continues from what the row says, or finds that the deployment has ended. */
export function createRunDeployment(deps: Deps) {
  const { db, record, logs, step, tuning, log } = deps
  const writing = new Set<number>()
  const { finishEnded, endedMeanwhile } = createFinishEnded(deps)

  async function run(payload: JobPayloads['deployment.run'], signal: AbortSignal): Promise<void> {
    await deps.sharedPlans?.fetchApp(payload.appId)
    const row = await findDeployment(db, payload.deploymentId)
    const app = row && (await findApp(db, row.app_id))
    if (!row || !app) return
    if (!isUnfinished(row.status)) return await finishEnded(row, signal)
    const settings = await deps.settingsOf(app, row)
    const redactor = createRedactor([...Object.values(settings.config.env), ...Object.values(settings.buildSecrets)])
    const { writer, ...unwritable } = await openLog(deps, row.id, redactor)
    writing.add(row.id)
    try {
      await attempt({ app, row, ...settings, ...unwritable, writer, redactor }, signal)
    } finally {
      await writer.close()
      writing.delete(row.id)
    }
  }

  async function attempt(
    { app, row, config, buildSecrets, problem, writer, redactor, ...sealed }: Work,
    signal: AbortSignal,
  ): Promise<void> {
    const begun = await step('db.begin', async () => await record.begin(row, sealed)).catch(ignoreMovedOn)
    if (!begun) return await endedMeanwhile(app, row, writer)
    const workspace = join(deps.workDir, `d${begun.id}`)
    const replaces = (await findActive(db, app.id))?.id ?? null
    const readApp = async () => await findApp(db, app.id)
    const given = { app, findApp: readApp, row: begun, config, buildSecrets, workspace, replaces }
    const context = createContext({ ...given, writer, record, signal, step, log, tuning, now: deps.now })
    try {
      if (problem) throw problem
      await deps.preflight(context)
      await deploy(context, deps.pipeline)
      await deps.cleanUp(app).catch((err: unknown) => log.warn({ appId: app.id, err }, 'old releases were not cleaned up'))
    } catch (cause) {
      await deps.endFailed(context, { cause, signal, redactor })
    } finally {
      context.close()
      await removeTree(workspace).catch((err: unknown) => log.warn({ deploymentId: begun.id, err }, 'workspace was not removed'))
    }
  }

  return { run, isWriting: (deploymentId: number) => writing.has(deploymentId) || logs.isOpen(deploymentId) }
}

type Opened = { writer: LogWriter; problem?: DeploymentFailure }

const NO_LOG: LogWriter = { append: () => undefined, flush: async () => undefined, close: async () => undefined }

/** The log of a deployment. Without one it fails at once, and its row says why. On a full disk it waits, like the others. */
async function openLog({ logs, log }: Pick<Deps, 'logs' | 'log'>, deploymentId: number, redactor: Redactor): Promise<Opened> {
  try {
    return { writer: await logs.openWriter(deploymentId, redactor, { holdsLease: true }) }
  } catch (cause) {
    if (isStorageFailure(cause)) throw cause
    log.error({ deploymentId, err: cause }, 'the log of a deployment cannot be written')
    const why = `The log of this deployment cannot be written (${errorCode(cause) ?? 'unknown error'}). Check the folder logs in the data directory, then deploy again.`
    return { writer: NO_LOG, problem: new DeploymentFailure(why, { cause }) }
  }
}
