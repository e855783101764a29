import { kindOf } from '../domain/app-kinds.ts'
import { setAppStatus } from '../domain/app-status.ts'
import type { AppRow } from '../domain/rows.ts'
import { stoppedServices } from '../domain/stopped-services.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import type { Db } from '../store/database.ts'

type Deps = { db: Db; engine: Pick<Engine, 'containers'>; stopGraceSeconds: number; now: () => Date }

/**
 * Starts or stops an app as a person last requested, after a crash or an engine restart in between: the request is stored before the
 * engine is called. A container that crashed is left to its restart policy; under one that always restarts, a container can only be down
 * because we stopped it.
 */
export function createRepair({ db, engine, stopGraceSeconds, now }: Deps) {
  async function stop(app: AppRow, live: readonly ContainerSummary[]): Promise<boolean> {
    const up = live.filter((container) => container.state === 'running')
    if (up.length === 0) return false
    for (const { id } of up) await engine.containers.stop(id, stopGraceSeconds)
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'stopped', reason: '' }))
    return true
  }

  /** An engine that starts anew starts them too, where the file says that they always restart. */
  async function stopServices(app: AppRow, live: readonly ContainerSummary[]): Promise<boolean> {
    const stopped = stoppedServices(app)
    const up = live.filter(({ state, owner }) => stopped.has(owner.service ?? '') && (state === 'running' || state === 'restarting'))
    for (const { id } of up) await engine.containers.stop(id, stopGraceSeconds)
    return up.length > 0
  }

  return async function repair(app: AppRow, live: readonly ContainerSummary[]): Promise<boolean> {
    if (app.wanted === 'stopped') return await stop(app, live)
    if (await stopServices(app, live)) return true
    const wasStopped = app.status === 'stopped' || ['always', 'unless-stopped'].includes(app.restart_policy)
    const down = live.filter((container) => container.state === 'exited' || container.state === 'created')
    if (kindOf(app).hasServices || !wasStopped || down.length === 0) return false
    for (const { id } of down) await engine.containers.startAgain(id)
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'running', reason: '' }))
    return true
  }
}

export type Repair = ReturnType<typeof createRepair>
