import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Artifact, artifactOf } from '../../../domain/artifact.ts'
import { isUnfinished } from '../../../domain/lifecycle.ts'
import { configOf, openConfig, type ReleaseConfig, sealConfig } from '../../../domain/release-config.ts'
import { type AppRow, type DeploymentRow, findApp, findDeployment } from '../../../domain/rows.ts'
import type { Engine } from '../../../engine/engine.ts'
import { environmentProblem, environmentSize } from '../../../lib/environment-size.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor, type Redactor } from '../../../lib/redact.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Step } from '../../../lib/step.ts'
import type { Db } from '../../../store/database.ts'
import type { Tuning } from '../../../tuning.ts'
import type { BuildLogs } from '../log/build-log.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { Launcher } from '../release/release.ts'
import { createContext, type LiveContext } from './context.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
import { createFailing, ignoreMovedOn } from './end-failed-deployment.ts'
import { deploy, type Routes } from './pipeline.ts'
import { checkRoom, waitForEngine } from './preflight.ts'
import { DeploymentFailure } from './stage.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'ping' | 'images'>
  record: DeploymentRecord
  logs: BuildLogs
  secrets: SecretBox
  readEnv: (db: Db, appId: number) => Promise<Record<string, string>>
  launcherOf: (app: AppRow) => Launcher
  routes: Routes
  /** Whether what served before still does, seen in the engine. */
  isServing: (appId: number, deploymentId: number) => Promise<boolean>
  cleanUp: (app: AppRow) => Promise<void>
  step: Step
  dataDir: string
  workDir: string
  instance: string
  tuning: Tuning
  log: Logger
  onChanged: () => void
}

type Work = { app: AppRow; row: DeploymentRow; config: ReleaseConfig; writer: LogWriter; redactor: Redactor }

const MOST_ATTEMPTS = 3

/** The job behind a deployment. It may run twice: it looks at the row and goes on from there, or finds it ended. */
export function createRunDeployment(deps: Deps) {
  const { db, record, logs, secrets, tuning } = deps
  const failed = createFailing(deps)
  const writing = new Set<number>()

  async function configFor(app: AppRow, row: DeploymentRow): Promise<ReleaseConfig> {
    if (row.sealed_config !== '') return openConfig(secrets, app.id, row.sealed_config)
    return configOf(app, await deps.readEnv(db, app.id))
  }

  async function run(payload: { deploymentId: number }, signal: AbortSignal): Promise<void> {
    const row = await findDeployment(db, payload.deploymentId)
    const app = row && (await findApp(db, row.app_id))
    if (!row || !app) return
    if (!isUnfinished(row.status)) return await finish(row)
    const config = await configFor(app, row)
    const redactor = createRedactor(Object.values(config.env))
    const writer = await logs.openWriter(row.id, redactor)
    writing.add(row.id)
    try {
      await attempt({ app, row, config, writer, redactor }, signal)
    } finally {
      await writer.close()
      writing.delete(row.id)
    }
  }

  /** It ended while nobody ran it: cancelled in the queue, or right before a crash. Its log says so too. */
  async function finish(row: DeploymentRow): Promise<void> {
    if (row.status === 'failed') return await logs.finish(row.id, LAST_LINE.failed(row.error_message))
    await logs.finish(row.id, row.status === 'stopped' ? LAST_LINE.stopped : LAST_LINE.success)
  }

  async function attempt(work: Work, signal: AbortSignal): Promise<void> {
    const { app, config, writer } = work
    const sealed = work.row.sealed_config || sealConfig(secrets, app.id, config)
    const begun = await deps.step('db.begin', async () => await record.begin(work.row, sealed)).catch(ignoreMovedOn)
    if (!begun) return
    const workspace = join(deps.workDir, `d${begun.id}`)
    const context = createContext({ app, row: begun, config, workspace, writer, record, signal, step: deps.step, log: deps.log, tuning })
    try {
      await prepareRoom(context, begun)
      await deploy(context, pipelineOf(work, context), artifactOf(begun))
      await deps.cleanUp(app).catch((err: unknown) => deps.log.warn({ appId: app.id, err }, 'old releases were not cleaned up'))
    } catch (cause) {
      await failed(context, { cause, signal, writer, redactor: work.redactor })
    } finally {
      context.close()
      await rm(workspace, { recursive: true, force: true }).catch((err: unknown) =>
        deps.log.warn({ deploymentId: begun.id, err }, 'workspace was not removed'),
      )
    }
  }

  async function prepareRoom(context: LiveContext, row: DeploymentRow): Promise<void> {
    if (row.attempts > MOST_ATTEMPTS)
      throw new DeploymentFailure(
        'This deployment was interrupted several times, by restarts of Berth or by a full disk, so it was given up. Deploy again.',
      )
    const kept = artifactOf(row)
    if (kept === undefined) checkEnvironment(context.config) // an earlier release comes back as it was
    if (row.attempts > 1) context.say('This deployment was interrupted; going on from what is there')
    await mkdir(context.workspace, { recursive: true, mode: 0o700 })
    await waitForEngine(deps.engine, { signal: context.signal, waitMs: tuning.engineWaitMs, say: context.say })
    if (kept === undefined) await checkRoom(deps.dataDir, tuning)
    if (kept?.kind === 'image' && !(await deps.engine.images.exists(kept.tag, context.signal)))
      throw new DeploymentFailure('The image of this release is gone. Deploy again to build a new one.')
  }

  function pipelineOf({ app, writer }: Work, context: LiveContext) {
    return {
      launcher: deps.launcherOf(app),
      routes: deps.routes,
      stabilityMs: tuning.stabilityMs,
      beginDeploying: async (_context: unknown, artifact: Artifact) => {
        if (context.current().status === 'building')
          await deps.step('db.deploying', async () => context.note(await record.deploying(context.current(), artifact)))
      },
      succeed: async () => {
        context.say(LAST_LINE.success)
        await writer.flush() // before the row says so: after a crash right behind it nobody would write it
        context.note(await record.success(app, context.current(), context.seconds()))
      },
    }
  }

  return { run, isWriting: (deploymentId: number) => writing.has(deploymentId) || logs.isOpen(deploymentId) }
}

/** For variables from before there was a limit. The port that Berth adds is not counted. */
function checkEnvironment({ env, port }: ReleaseConfig): void {
  const given = Object.entries(env).filter(([key, value]) => key !== 'PORT' || value !== String(port))
  const problem = environmentProblem(environmentSize(given.map(([key, value]) => ({ key, valueBytes: Buffer.byteLength(value) }))))
  if (problem) throw new DeploymentFailure(problem)
}
