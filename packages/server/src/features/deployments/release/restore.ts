import { kindOf } from '../../../domain/app-kinds.ts'
import { setAppStatus } from '../../../domain/app-status.ts'
import { holdsDataAlone } from '../../../domain/app-volumes.ts'
import { type Artifact, artifactOf } from '../../../domain/artifact.ts'
import type { Routes } from '../../../domain/routes.ts'
import { type AppRow, type DeploymentRow, findApp } from '../../../domain/rows.ts'
import { placesWanted } from '../../../domain/wanted-places.ts'
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
import type { AppContainers } from './app-containers.ts'
import type { SharedPlans } from './compose/shared-plans.ts'
import { type Launcher, type Launchers, launcherOf } from './release.ts'

type Deps = {
  db: Db
  routes: Pick<Routes, 'drain'>
  settingsOf: SettingsOf
  containers: Pick<AppContainers, 'isServing' | 'ofRelease'>
  /** Stops a container in the time that it asks for. */
  stop: (id: string) => Promise<void>
  launchers: Launchers
  /** If there are several nodes: the plans that others made. */
  sharedPlans: Pick<SharedPlans, 'fetchApp'> | undefined
  step: Step
  now: () => Date
  log: Logger
  onChanged: (appId: number) => void
}
type Live = { app: AppRow; active: DeploymentRow; artifact: Artifact; settings: Awaited<ReturnType<SettingsOf>> }

const DEADLINE_MS = 120_000
/** They are started one after the other. */
const MORE_PER_CONTAINER_MS = 15_000
const DOWN: readonly string[] = ['created', 'exited', 'dead', 'removing']

/**
 * Runs the live release as it should run: starts what ended, was removed or is missing because more containers are wanted now, and removes
 * those that are no longer wanted. The image and the settings are those of the release, and there is no new deployment. Containers
 * of other releases are removed: in the queue of the app nothing else runs, so a deployment that did not succeed has left them. It ends
 * as soon as it sees that the app was stopped.
 */
export function createRestore(deps: Deps) {
  const { db, containers } = deps
  const bringUp = createBringUp(deps)

  async function settle(appId: number, seen: { status: 'running' | 'error'; reason?: string }): Promise<void> {
    await db.transaction(async (tx) => await setAppStatus(tx, deps.now(), appId, { ...seen, wanted: 'running' }))
  }

  /** Whoever stopped the app has stopped what there was then; this stops what was started since. */
  async function stopStarted(appId: number, deploymentId: number, isStopped: () => Promise<boolean>): Promise<void> {
    const up = (await containers.ofRelease(appId, deploymentId)).filter(({ state }) => !DOWN.includes(state))
    if (await isStopped()) await Promise.all(up.map(async ({ id }) => await deps.stop(id)))
  }

  return async function restore({ appId }: { appId: number }, signal: AbortSignal): Promise<void> {
    await deps.sharedPlans?.fetchApp(appId)
    const app = await findApp(db, appId)
    const active = await findActive(db, appId)
    const artifact = active && artifactOf(active)
    if (!app || !artifact || app.wanted === 'stopped') return
    const settings = await deps.settingsOf(app, active)
    const stopped = new AbortController()
    const isStopped = async () => (await findApp(db, appId))?.wanted !== 'running'
    const endIfStopped = async (): Promise<void> => {
      if (await isStopped()) stopped.abort()
      stopped.signal.throwIfAborted()
    }
    const { length: wanted } = placesWanted({ app, config: settings.config, deployment: active })
    const until = AbortSignal.any([signal, stopped.signal, AbortSignal.timeout(DEADLINE_MS + wanted * MORE_PER_CONTAINER_MS)])
    const live = { app, active, artifact, settings }
    try {
      await bringUp(contextOf(deps, live, { until, endIfStopped }), live)
      await endIfStopped()
      // One that was there before may still have the problem that was seen: reconcile asks them all.
      await settle(appId, { status: 'running', ...(wanted === 1 && { reason: '' }) })
    } catch (cause) {
      if (signal.aborted) throw cause
      if (await isStopped()) await stopStarted(appId, active.id, isStopped)
      else if (cause instanceof EngineUnreachable)
        throw cause // it is retried
      else {
        const reason = failureReason(cause, createRedactor(Object.values(settings.config.env)))
        const othersServe = wanted > 1 && (await containers.isServing(appId, active.id))
        if (othersServe) deps.log.warn({ appId, deploymentId: active.id, reason }, 'a container of the live release did not become healthy')
        await settle(appId, { status: othersServe ? 'running' : 'error', reason })
      }
    }
    deps.onChanged(appId)
  }
}

/** Starts and removes containers until they are those that are wanted. */
function createBringUp(deps: Deps) {
  const { containers } = deps

  /** Several at once could destroy the data, so those that are not wanted do not stay until the others answer. */
  async function removeOtherWriters(context: Context, { replicas }: Launcher): Promise<void> {
    const { app, deployment, config, ask, signal } = context
    if (!replicas || !holdsDataAlone(app, config)) return
    const found = await ask((until) => containers.ofRelease(app.id, deployment.id, until))
    if (!found.some(({ owner }) => owner.service !== null || owner.replica > 1)) return
    await deps.routes.drain(app.id, signal)
    await replicas.removeSurplus(context)
  }

  async function bringUp(context: Context, { app, artifact, settings: { problem } }: Live): Promise<void> {
    const launcher = launcherOf(deps.launchers, app)
    const { replicas } = launcher
    const { hasServices } = kindOf(app)
    if (!hasServices) await launcher.removeOld(context) // first: they may use the same data
    if (hasServices && problem) throw problem
    await removeOtherWriters(context, launcher)
    const started = replicas ? await replicas.complete(context, artifact, problem) : await launcher.start(context, artifact)
    await started.waitHealthy()
    const surplus = replicas ?? launcher.surplus
    if (surplus && (await surplus.hasSurplus(context))) {
      await deps.routes.drain(app.id, context.signal)
      await surplus.removeSurplus(context)
    }
    if (hasServices) await launcher.removeOld(context)
  }

  return bringUp
}

/** Before each effect and each read of the engine it is asked whether the app was stopped. */
function contextOf(
  { step, log }: Deps,
  { app, active, settings }: Live,
  { until, endIfStopped }: { until: AbortSignal; endIfStopped: () => Promise<void> },
): Context {
  const say = (line: string) => log.info({ appId: app.id, deploymentId: active.id }, line)
  const effects = createEffects({ step, signal: until, say })
  return {
    effect: async (name, work, signal) => {
      await endIfStopped()
      return await effects.effect(name, work, signal)
    },
    ask: async (work, signal) => {
      await endIfStopped()
      return await effects.ask(work, signal)
    },
    app,
    deployment: active,
    config: settings.config,
    buildSecrets: {},
    workspace: '',
    signal: until,
    step,
    enter: async () => undefined,
    begin: () => undefined,
    replaces: active.id,
    noteCommit: async () => undefined,
    noteImage: async () => undefined,
    notePort: async () => undefined,
    active: () => undefined,
    say,
    note: say,
    output: () => undefined,
    progress: () => undefined,
  }
}
