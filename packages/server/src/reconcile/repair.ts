import { kindOf } from '../domain/app-kinds.ts'
import type { AppRow } from '../domain/rows.ts'
import { stoppedServices } from '../domain/stopped-services.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { StopInTime } from '../engine/stop-in-time.ts'
import type { Logger } from '../lib/logger.ts'

/** What `repair` began, or what is left to do in the queue of the app. */
type Repaired = 'nothing' | 'stopping' | 'start it'
type Deps = { stopInTime: Pick<StopInTime, 'stop' | 'isUnderWay'>; log: Pick<Logger, 'warn'> }

/**
 * Starts or stops an app as a person last requested, after a crash or an engine restart in between: the request is stored before the
 * engine is called. A container that crashed is left to its restart policy; under one that always restarts, a container can only be down
 * because we stopped it. One with data on another server has none in the engine, so it is started here.
 */
export function createRepair({ stopInTime, log }: Deps) {
  /** Nobody waits for the end: a container may take minutes, and the other apps must not. Its end is an event that starts the next pass. */
  function stopAll(up: readonly ContainerSummary[]): Repaired {
    for (const { id, name } of up)
      if (!stopInTime.isUnderWay(id))
        void stopInTime.stop(id).catch((err: unknown) => log.warn({ container: name, err }, 'a container could not be stopped; retrying'))
    return up.length > 0 ? 'stopping' : 'nothing'
  }

  return function repair(app: AppRow, live: readonly ContainerSummary[]): Repaired {
    if (app.wanted === 'stopped') return stopAll(live.filter((container) => container.state === 'running'))
    const stopped = stoppedServices(app)
    const isStopped = ({ owner }: ContainerSummary) => stopped.has(owner.service ?? '')
    // An engine that restarts also starts stopped services whose restart policy is `always`.
    const up = live.filter((container) => isStopped(container) && (container.state === 'running' || container.state === 'restarting'))
    if (up.length > 0) return stopAll(up)
    const alwaysRuns = !kindOf(app).hasServices && ['always', 'unless-stopped'].includes(app.restart_policy)
    const isDown = live.some((container) => isEnded(container.state) && !isStopped(container))
    const hasFailed = app.restart_policy === 'on-failure' && live.some((container) => container.hasFailed)
    return isDown && (app.status === 'stopped' || alwaysRuns || hasFailed) ? 'start it' : 'nothing'
  }
}

const isEnded = (state: ContainerSummary['state']): boolean => state === 'exited' || state === 'created'

export type Repair = ReturnType<typeof createRepair>
