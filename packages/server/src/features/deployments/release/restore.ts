import { kindOf } from '../../../domain/app-kinds.ts'
import { setAppStatus } from '../../../domain/app-status.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import { type AppRow, findApp } from '../../../domain/rows.ts'
import { EngineUnreachable } from '../../../engine/api/errors.ts'
import type { ContainerSummary } from '../../../engine/container-state.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRedactor } from '../../../lib/redact.ts'
import type { Step } from '../../../lib/step.ts'
import type { Db } from '../../../store/database.ts'
import { createEffects } from '../run/effects.ts'
import { failureReason } from '../run/failure-reason.ts'
import type { SettingsOf } from '../run/release-settings.ts'
import type { Context } from '../run/stage.ts'
import { findActive } from '../store.ts'
import type { AppContainers } from './app-containers.ts'
import type { Launcher } from './release.ts'

type Deps = {
  db: Db
  containers: Pick<AppContainers, 'ofDeployment'>
  startAgain: (containerId: string) => Promise<void>
  settingsOf: SettingsOf
  launcherOf: (app: AppRow) => Launcher
  step: Step
  now: () => Date
  log: Logger
  onChanged: (appId: number) => void
}

const DEADLINE_MS = 120_000

/**
 * Starts the live release again after its container ended or was removed: the same image and settings, and no new deployment. Containers
 * of other releases are removed: in the queue of the app nothing else runs, so a deployment that did not succeed has left them.
 */
export function createRestore(deps: Deps) {
  async function settle(appId: number, seen: { status: 'running' | 'error'; reason: string }): Promise<void> {
    await deps.db.transaction(async (tx) => await setAppStatus(tx, deps.now(), appId, seen))
  }

  /** For compose, the release itself checks what exists. */
  async function ownContainers(app: AppRow, activeId: number, signal: AbortSignal): Promise<ContainerSummary[]> {
    return kindOf(app).hasServices ? [] : await deps.containers.ofDeployment(app.id, activeId, signal)
  }

  return async function restore({ appId }: { appId: number }, signal: AbortSignal): Promise<void> {
    const app = await findApp(deps.db, appId)
    const active = await findActive(deps.db, appId)
    const artifact = active && artifactOf(active)
    if (!app || !artifact || app.wanted === 'stopped') return
    const { config, problem } = await deps.settingsOf(app, active)
    const until = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
    const say = (line: string) => deps.log.info({ appId, deploymentId: active.id }, line)
    const context: Context = {
      ...createEffects({ step: deps.step, signal: until, say }),
      app,
      deployment: active,
      config,
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
      if (!hasServices) await launcher.removeOld(context) // first: they may use the same data
      const existing = await ownContainers(app, active.id, signal)
      if (existing.some(({ state }) => state === 'running')) return // an earlier deployment in the queue or an earlier attempt has started it
      if (existing.length === 0 && problem) throw problem
      if (existing.length > 0) for (const { id } of existing) await deps.startAgain(id)
      else await (await launcher.start(context, artifact)).waitHealthy()
      if (hasServices) await launcher.removeOld(context)
      await settle(appId, { status: 'running', reason: '' })
    } catch (cause) {
      if (signal.aborted || cause instanceof EngineUnreachable) throw cause // it is retried
      await settle(appId, { status: 'error', reason: failureReason(cause, createRedactor(Object.values(config.env))) })
    }
    deps.onChanged(appId)
  }
}
