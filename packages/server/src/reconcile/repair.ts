import { kindOf } from '../domain/app-kinds.ts'
import { setAppStatus } from '../domain/app-status.ts'
import type { AppRow } from '../domain/rows.ts'
import { stoppedServices } from '../domain/stopped-services.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import type { Db } from '../store/database.ts'

/** What `repair` did, or what is left to do in the queue of the app. */
type Repaired = 'nothing' | 'stopped' | 'start it'
type Deps = { db: Db; engine: Pick<Engine, 'containers'>; stopGraceSeconds: number; now: () => Date }

/**
 * Starts or stops an app as a person last requested, after a crash or an engine restart in between: the request is stored before the
 * engine is called. A container that crashed is left to its restart policy; under one that always restarts, a container can only be down
 * because we stopped it.
 */
export function createRepair({ db, engine, stopGraceSeconds, now }: Deps) {
  async function stop(app: AppRow, live: readonly ContainerSummary[]): Promise<Repaired> {
    const up = live.filter((container) => container.state === 'running')
    if (up.length === 0) return 'nothing'
    for (const { id } of up) await engine.containers.stop(id, stopGraceSeconds)
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'stopped', reason: '' }))
    return 'stopped'
  }

  /** An engine that starts anew starts them too, where the file says that they always restart. */
  async function stopServices(app: AppRow, live: readonly ContainerSummary[]): Promise<boolean> {
    const stopped = stoppedServices(app)
    const up = live.filter(({ state, owner }) => stopped.has(owner.service ?? '') && (state === 'running' || state === 'restarting'))
    for (const { id } of up) await engine.containers.stop(id, stopGraceSeconds)
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
