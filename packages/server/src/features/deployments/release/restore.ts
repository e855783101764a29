import { kindOf } from '../../../domain/app-kinds.ts'
import { setAppStatus } from '../../../domain/app-status.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import type { Routes } from '../../../domain/routes.ts'
import { type AppRow, findApp } from '../../../domain/rows.ts'
import { EngineUnreachable } from '../../../engine/api/errors.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor } from '../../../lib/redact.ts'
import type { Step } from '../../../lib/step.ts'
import type { Db } from '../../../store/database.ts'
import { createEffects } from '../run/effects.ts'
import { failureReason } from '../run/failure-reason.ts'
import type { SettingsOf } from '../run/release-settings.ts'
import type { Context } from '../run/stage.ts'
import { findActive } from '../store.ts'
import type { Launcher } from './release.ts'

type Deps = {
  db: Db
  routes: Pick<Routes, 'drain'>
  settingsOf: SettingsOf
  /** Whether a container of the release is running. */
  isServing: (appId: number, deploymentId: number) => Promise<boolean>
  launcherOf: (app: AppRow) => Launcher
  step: Step
  now: () => Date
  log: Logger
  onChanged: (appId: number) => void
}

const DEADLINE_MS = 120_000
/** They are started one after the other. */
const MORE_PER_REPLICA_MS = 15_000

/**
 * Runs the live release as it should run: starts what ended, was removed or is missing because there are more replicas now, and removes
 * replicas that are no longer wanted. The image and the settings are those of the release, and there is no new deployment. Containers
 * of other releases are removed: in the queue of the app nothing else runs, so a deployment that did not succeed has left them.
 */
export function createRestore(deps: Deps) {
  async function settle(appId: number, seen: { status: 'running' | 'error'; reason: string }): Promise<void> {
    await deps.db.transaction(async (tx) => await setAppStatus(tx, deps.now(), appId, seen))
  }

  return async function restore({ appId }: { appId: number }, signal: AbortSignal): Promise<void> {
    const app = await findApp(deps.db, appId)
    const active = await findActive(deps.db, appId)
    const artifact = active && artifactOf(active)
    if (!app || !artifact || app.wanted === 'stopped') return
    const { config, problem } = await deps.settingsOf(app, active)
    const until = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS + app.replicas * MORE_PER_REPLICA_MS)])
    const say = (line: string) => deps.log.info({ appId, deploymentId: active.id }, line)
    const context: Context = {
      ...createEffects({ step: deps.step, signal: until, say }),
      app,
      deployment: active,
      config,
      buildSecrets: {},
      workspace: '',
      signal: until,
      step: deps.step,
      enter: async () => undefined,
      begin: () => undefined,
      replaces: active.id,
      noteCommit: async () => undefined,
      noteImage: async () => undefined,
      active: () => undefined,
      say,
      note: say,
      output: () => undefined,
      progress: () => undefined,
    }
    const launcher = deps.launcherOf(app)
    const { hasServices } = kindOf(app)
    try {
      const { replicas } = launcher
      if (!hasServices) await launcher.removeOld(context) // first: they may use the same data
      if (hasServices && problem) throw problem
      const started = replicas ? await replicas.complete(context, artifact, problem) : await launcher.start(context, artifact)
      await started.waitHealthy()
      if (replicas && (await replicas.hasSurplus(context))) {
        await deps.routes.drain(appId, until)
        await replicas.removeSurplus(context)
      }
      if (hasServices) await launcher.removeOld(context)
      await settle(appId, { status: 'running', reason: '' })
    } catch (cause) {
      if (signal.aborted || cause instanceof EngineUnreachable) throw cause // it is retried
      const reason = failureReason(cause, createRedactor(Object.values(config.env)))
      const othersServe = app.replicas > 1 && (await deps.isServing(appId, active.id))
      if (othersServe) deps.log.warn({ appId, deploymentId: active.id, reason }, 'a replica did not become healthy')
      await settle(appId, othersServe ? { status: 'running', reason: '' } : { status: 'error', reason })
    }
    deps.onChanged(appId)
  }
}
