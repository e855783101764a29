import type { AppStatus } from '@berth/contract'
import { kindOf } from '../domain/app-kinds.ts'
import { setAppStatus } from '../domain/app-status.ts'
import { appLane, enqueue } from '../domain/job-names.ts'
import type { AppRow, DeploymentRow } from '../domain/rows.ts'
import { stoppedServices } from '../domain/stopped-services.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { isOfRelease, ownedBy } from '../engine/labels.ts'
import { outputSummary } from '../lib/error-lines.ts'
import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import type { ComeHome } from './come-home.ts'
import type { Repair } from './repair.ts'
import { listActive, listApps, unfinishedWithoutJob } from './store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'containers'>
  instance: string
  /** Apps with work in progress, which are left alone. */
  busyLanes: () => Promise<ReadonlySet<string>>
  lastLines: (containerId: string, count: number) => Promise<string[]>
  /** Redacts secrets in the app's output. */
  redact: (app: AppRow, lines: readonly string[]) => Promise<string[]>
  /** Begins to stop containers as wanted, or says that they have to be started. */
  repair: Repair
  comeHome: ComeHome
  /** Removes images, networks and files that nothing refers to any more. */
  sweep: () => Promise<void>
  /** Events of the engine make passes more frequent. A sweep asks it for everything it has, and can wait. */
  sweepEveryMs: number
  /** Whether the containers of the live release are there, and no others in their place. */
  isAsPlanned: (app: AppRow, active: Active, containers: readonly ContainerSummary[]) => Promise<boolean>
  /** Whether all these replicas answer. */
  doAnswer: (app: AppRow, containers: readonly ContainerSummary[]) => Promise<boolean>
  /** Gives up ports of the machine that were closed and that the live release does not have. */
  settlePorts: (app: AppRow, activeId: number | undefined) => Promise<void>
  /** Starts the live release again, in the queue of the app: a deployment may be about to replace it. */
  restore: (app: AppRow) => Promise<void>
  now: () => Date
  log: Logger
  onChanged: (appId: number) => void
}
type Active = Pick<DeploymentRow, 'id' | 'processes'>
type Observed = { status: AppStatus; reason: string }

/** The line that says why is often far from the last one. */
const READ_LINES = 200
const SHOWN_CHARACTERS = 500
const READ_AGAIN_MS = 60_000

/** What a container printed last, in short. One that crashes again and again prints the same each time, so it is not read each time. */
function createPrinted({ lastLines, redact, now }: Pick<Deps, 'lastLines' | 'redact' | 'now'>) {
  const known = new Map<string, { at: number; summary: string }>()

  return async function printedBy(app: AppRow, id: string): Promise<string> {
    const at = now().getTime()
    for (const [old, seen] of known) if (at - seen.at >= READ_AGAIN_MS) known.delete(old)
    const seen = known.get(id)
    if (seen !== undefined) return seen.summary
    const summary = outputSummary(await redact(app, await lastLines(id, READ_LINES)), SHOWN_CHARACTERS)
    known.set(id, { at, summary })
    return summary
  }
}

/** The status of an app that should be running, and why it is not. */
function createObserve(deps: Pick<Deps, 'engine' | 'lastLines' | 'redact' | 'doAnswer' | 'now'>) {
  const { engine, lastLines, redact, doAnswer, now } = deps
  const printedBy = createPrinted({ lastLines, redact, now })

  /** Why it is down; undefined if it was removed or started since it was listed. */
  async function reasonOf(app: AppRow, container: ContainerSummary): Promise<string | undefined> {
    const details = await engine.containers.inspect(container.id)
    if (!details || details.state === 'running') return undefined
    if (details.waitsFor !== undefined && details.dataServer !== undefined)
      return `It waits: ${details.waitsFor}. It is not started elsewhere. See Servers.`
    if (details.waitsFor !== undefined)
      return `No server can run it now: ${details.waitsFor}. See Servers.${app.placement === '' ? ' If none can soon, it is started on the first one.' : ''}`
    if (details.oomKilled) return 'The container ran out of memory and was killed. Give it more under Settings → Memory limit.'
    return `The container exited with code ${details.exitCode ?? 'unknown'}${await printedBy(app, container.id)}`
  }

  /** Why a replica did not become healthy, as it was seen when it was started, is kept until all of them answer. */
  async function whileServing(app: AppRow, live: readonly ContainerSummary[]): Promise<Observed> {
    const isKept = app.status === 'running' && app.status_reason !== '' && app.replicas > 1 && !(await doAnswer(app, live))
    return { status: 'running', reason: isKept ? app.status_reason : '' }
  }

  /** The main process, or the services of a compose app. */
  async function observeMain(app: AppRow, all: readonly ContainerSummary[]): Promise<Observed | undefined> {
    const stopped = stoppedServices(app)
    const live = all.filter(({ owner }) => !stopped.has(owner.service ?? ''))
    if (all.length > 0 && live.length === 0) return { status: 'stopped', reason: '' }
    const down = live.filter((container) => container.state !== 'running')
    if (live.length > 0 && down.length === 0) return await whileServing(app, live)
    if (app.wanted === 'stopped') return { status: 'stopped', reason: '' }
    const [first] = down
    if (!first) return { status: 'error', reason: 'The container was removed outside Berth.' }
    if (down.length < live.length) return await whileServing(app, live) // other services, or other replicas, still serve
    const reason = await reasonOf(app, first)
    return reason === undefined ? undefined : { status: 'error', reason }
  }

  /** While the main process runs, so does the app; why another process does not is its reason. */
  return async function observe(app: AppRow, all: readonly ContainerSummary[]): Promise<Observed | undefined> {
    if (kindOf(app).hasServices) return await observeMain(app, all)
    const isMain = ({ owner }: ContainerSummary) => owner.service === null
    const seen = await observeMain(app, all.filter(isMain))
    const down = all.find((each) => !isMain(each) && each.state !== 'running')
    if (down === undefined || seen?.status !== 'running' || seen.reason !== '') return seen
    const reason = await reasonOf(app, down)
    return reason === undefined ? undefined : { status: 'running', reason: `Process ${down.owner.service}: ${reason}` }
  }
}

async function requeueLost({ db, log, now }: Pick<Deps, 'db' | 'log' | 'now'>): Promise<void> {
  await db.transaction(async (tx) => {
    for (const lost of await unfinishedWithoutJob(tx)) {
      log.error({ deploymentId: lost.id }, 'a deployment without a job was queued again')
      await enqueue(tx, 'deployment.run', { deploymentId: lost.id, appId: lost.app_id }, { by: lost.triggered_by, at: now() })
    }
  })
}

/** Containers of apps without a row, left by a crash or a restored backup. */
async function removeOrphans(
  { engine, log }: Pick<Deps, 'engine' | 'log'>,
  containers: readonly ContainerSummary[],
  { apps, busy }: { apps: ReadonlySet<number>; busy: ReadonlySet<string> },
): Promise<void> {
  for (const container of containers) {
    const { appId } = container.owner
    if (appId === null || apps.has(appId) || busy.has(appLane(appId))) continue
    log.info({ appId, container: container.name }, 'removing the container of a deleted app')
    await engine.containers
      .remove(container.id)
      .catch((err: unknown) => log.warn({ appId, container: container.name, err }, 'a container could not be removed; retrying'))
  }
}

/** Compares the rows with what actually runs and updates them. It keeps no state between runs, except when it last swept. */
export function createReconcile(deps: Deps) {
  const { db, engine, instance, log } = deps
  const observe = createObserve(deps)
  let sweptAt = Number.NEGATIVE_INFINITY

  async function settleApp(app: AppRow, containers: readonly ContainerSummary[], active: Active | undefined): Promise<void> {
    const activeId = active?.id
    const isLive = ({ owner }: ContainerSummary) => activeId !== undefined && isOfRelease(owner, activeId)
    const superseded = containers.filter((container) => !isLive(container))
    for (const container of superseded) {
      log.info({ appId: app.id, container: container.name }, 'removing the container of a release that is not live')
      await engine.containers.remove(container.id).catch((err: unknown) => {
        if (container.state === 'running') throw err // it may be using the same data as the live one
        log.warn({ appId: app.id, container: container.name, err }, 'a container could not be removed; retrying')
      })
    }
    await deps.settlePorts(app, activeId)
    if (active === undefined) return
    const live = app.wanted === 'running' ? await deps.comeHome(app, containers.filter(isLive)) : containers.filter(isLive)
    if (app.wanted === 'running' && !(await deps.isAsPlanned(app, active, live))) {
      log.warn({ appId: app.id, deploymentId: active.id }, 'a container of the live release is missing or was replaced; starting it again')
      await deps.restore(app)
      return
    }
    const repaired = deps.repair(app, live)
    if (repaired === 'start it') return await deps.restore(app)
    if (repaired === 'stopping') return
    const seen = await observe(app, live)
    if (seen === undefined) return // the next pass sees what it became
    if (seen.status === app.status && seen.reason === app.status_reason) return
    await db.transaction(async (tx) => await setAppStatus(tx, deps.now(), app.id, seen))
    deps.onChanged(app.id)
  }

  async function reconcile(signal: AbortSignal): Promise<void> {
    if ((await unfinishedWithoutJob(db)).length > 0) await requeueLost(deps) // checking only reads, so an idle server writes nothing
    const containers = await engine.containers.list({ labels: ownedBy({ instance }) })
    const busy = await deps.busyLanes() // before the rows: those of a deployment that has left the queue are written
    const [apps, active] = await Promise.all([listApps(db), listActive(db)])
    const activeOf = new Map(active.map((row) => [row.app_id, row]))
    for (const app of apps) {
      if (signal.aborted) return
      if (busy.has(appLane(app.id))) continue
      const own = containers.filter(({ owner }) => owner.appId === app.id)
      await settleApp(app, own, activeOf.get(app.id)).catch((err: unknown) => log.warn({ appId: app.id, err }, 'app was not reconciled'))
    }
    await removeOrphans(deps, containers, { apps: new Set(apps.map((app) => app.id)), busy })
    if (performance.now() - sweptAt < deps.sweepEveryMs) return
    await deps.sweep()
    sweptAt = performance.now()
  }

  return { reconcile }
}

export type Reconcile = ReturnType<typeof createReconcile>
