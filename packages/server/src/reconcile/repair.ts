import { kindOf } from '../domain/app-kinds.ts'
import { setAppStatus } from '../domain/app-status.ts'
import type { AppRow } from '../domain/rows.ts'
import { stoppedServices } from '../domain/stopped-services.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { StopInTime } from '../engine/stop-in-time.ts'
import type { Db } from '../store/database.ts'

/** What `repair` did, or what is left to do in the queue of the app. */
type Repaired = 'nothing' | 'stopped' | 'start it'
type Deps = { db: Db; stopInTime: Pick<StopInTime, 'stop' | 'isUnderWay'>; now: () => Date }

/**
 * Starts or stops an app as a person last requested, after a crash or an engine restart in between: the request is stored before the
 * engine is called. A container that crashed is left to its restart policy; under one that always restarts, a container can only be down
 * because we stopped it.
 */
export function createRepair({ db, stopInTime, now }: Deps) {
  /** One that is being stopped already has its own time for that. */
  async function stopAll(up: readonly ContainerSummary[]): Promise<void> {
    for (const { id } of up) if (!stopInTime.isUnderWay(id)) await stopInTime.stop(id)
  }

  async function stop(app: AppRow, live: readonly ContainerSummary[]): Promise<Repaired> {
    const up = live.filter((container) => container.state === 'running')
    if (up.length === 0) return 'nothing'
    await stopAll(up)
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'stopped', reason: '' }))
    return 'stopped'
  }

  /** An engine that restarts also starts stopped services whose restart policy is `always`. */
  async function stopServices(app: AppRow, live: readonly ContainerSummary[]): Promise<boolean> {
    const stopped = stoppedServices(app)
    const up = live.filter(({ state, owner }) => stopped.has(owner.service ?? '') && (state === 'running' || state === 'restarting'))
    await stopAll(up)
    return up.length > 0
  }

  return async function repair(app: AppRow, live: readonly ContainerSummary[]): Promise<Repaired> {
    if (app.wanted === 'stopped') return await stop(app, live)
    if (await stopServices(app, live)) return 'stopped'
    const alwaysRuns = !kindOf(app).hasServices && ['always', 'unless-stopped'].includes(app.restart_policy)
    const isDown = live.some(({ state, owner }) => isEnded(state) && !stoppedServices(app).has(owner.service ?? ''))
    return isDown && (app.status === 'stopped' || alwaysRuns) ? 'start it' : 'nothing'
  }
}

const isEnded = (state: ContainerSummary['state']): boolean => state === 'exited' || state === 'created'

export type Repair = ReturnType<typeof createRepair>
