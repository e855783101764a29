import { poll } from '../../lib/retry.ts'
import { EngineError, isNotFound } from '../api/errors.ts'
import { nodesToAvoid } from './apart.ts'
import { type DataGate, needsOfService } from './data-gate.ts'
import type { Seen, ServiceCalls } from './service-calls.ts'
import { type Service, stateOf, tasksOf } from './service-state.ts'

export type Begin = { limitMs: number; after?: string }
type Deps = {
  calls: ServiceCalls
  dataServerOf: DataGate['dataServerOf']
  passDataGate: DataGate['pass']
  now: () => Date
  begun: (id: string, begin: Begin, signal?: AbortSignal) => Promise<unknown>
}
type Look = (id: string, signal?: AbortSignal) => Promise<{ service: Service; state: string; newest: string } | null>

const LOOK_MS = 250
const AFTER_GRACE_MS = 60_000
const STOPPED_TASK_MS = 5000

/** Starting, stopping and restarting containers that exist. */
export function createServiceVerbs({ calls, dataServerOf, passDataGate, now, begun }: Deps) {
  const look = createLook(calls)
  const { stop, remove, ...keeping } = createServiceEnds(calls, look)

  async function existing(id: string, signal?: AbortSignal) {
    const found = await look(id, signal)
    if (found === null) throw new EngineError(404, `No such service: ${id}`)
    return found
  }

  /** One that is being started already is waited for. */
  async function startAgain(id: string, signal?: AbortSignal): Promise<void> {
    const { state, service, newest } = await existing(id, signal)
    const isStopped = service.replicas === 0 // its task may still be ending
    if (state === 'running' && !isStopped) return
    const isDown = isStopped || state === 'exited'
    if (isStopped && service.volumes.length > 0) await withoutStopped(calls, { id, limitMs: AFTER_GRACE_MS, signal })
    if (isDown || ((await dataServerOf(service))?.why ?? '') !== '') await passDataGate(needsOfService(service), signal)
    const again = service.volumes.length > 0 && !isStopped && { startedAgain: now().getTime() }
    if (isDown) await calls.change(id, { replicas: 1, isAnew: !isStopped, isFree: true, ...again }, signal)
    await begun(id, { limitMs: AFTER_GRACE_MS, ...(isDown && { after: newest }) }, signal)
  }

  /** By Swarm, which stops the task first: it is never seen as one that has ended. */
  async function restart(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
    const { newest, service } = await existing(id, signal)
    if (service.volumes.length > 0) {
      await stop(id, graceSeconds, signal)
      return await startAgain(id, signal)
    }
    await calls.change(id, { replicas: 1, isAnew: true }, signal)
    await begun(id, { limitMs: graceSeconds * 1000 + AFTER_GRACE_MS, after: newest }, signal)
  }

  /** Moves a container to a node that is none of these. It is down until it runs there. */
  async function moveAway(id: string, nodeIds: readonly string[], signal?: AbortSignal): Promise<void> {
    const { newest } = await existing(id, signal)
    await calls.change(id, { isAnew: true, avoided: nodeIds }, signal)
    await begun(id, { limitMs: AFTER_GRACE_MS, after: newest }, signal)
  }

  return { startAgain, stop, restart, moveAway, remove, ...keeping }
}

/** Swarm takes a wish to start for fulfilled as long as it still has the task that was stopped. */
async function withoutStopped(calls: ServiceCalls, of: { id: string; limitMs: number; signal: AbortSignal | undefined }): Promise<void> {
  const { id, limitMs, signal } = of
  const isLeft = async () => ((await calls.inspect(id, signal))?.tasks ?? []).some(({ desired }) => desired === 'remove')
  await poll(isLeft, { until: (left) => !left, everyMs: LOOK_MS, limitMs, ...(signal && { signal }) })
}

function createLook(calls: ServiceCalls): Look {
  return async (id, signal) => {
    const found = await calls.inspect(id, signal)
    if (found === null) return null
    const own = tasksOf(found.service, found.tasks)
    return { service: found.service, state: stateOf(found.service, own), newest: own[0]?.createdAt ?? '' }
  }
}

function createServiceEnds(calls: ServiceCalls, look: Look) {
  async function stop(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
    try {
      await calls.change(id, { replicas: 0 }, signal)
    } catch (cause) {
      if (isNotFound(cause)) return
      throw cause
    }
    const limitMs = graceSeconds * 1000 + AFTER_GRACE_MS
    await poll(async () => await look(id, signal), {
      until: (found) => found?.state !== 'running',
      everyMs: LOOK_MS,
      limitMs,
      ...(signal && { signal }),
    })
  }

  /**
   * One with data has ended before it is gone: nobody could wait for its end afterwards. And one that was stopped has no task left: Swarm removes
   * that by itself, and if it does so while its service is removed, Docker 20.10 crashes (seen in `SetServiceTasksRemove`).
   */
  async function remove(id: string, signal?: AbortSignal): Promise<void> {
    const found = await look(id, signal)
    const mustEnd = found !== null && found.service.volumes.length > 0 && found.state === 'running'
    if (mustEnd) await stop(id, found.service.graceSeconds, signal)
    if (mustEnd || found?.service.replicas === 0) await withoutStopped(calls, { id, limitMs: STOPPED_TASK_MS, signal })
    await calls.remove(id, signal)
  }

  /** A task that waits because the servers it may use are gone may use all of them from now on. */
  async function freeWaiting({ services, tasks }: Seen): Promise<void> {
    for (const service of services) {
      const task = tasksOf(service, tasks)[0]
      if (service.avoided.length > 0 && task?.state === 'pending' && task.error !== '') await changeIfThere(service.id, { isFree: true })
    }
  }

  /** Swarm leaves a task alone that may stay where it is. `mayFree`: what waits has waited long enough. */
  async function keepApart(labels: Readonly<Record<string, string>>, mayFree: () => Promise<boolean>): Promise<void> {
    const seen = await calls.list(labels)
    for (const { id, avoided } of nodesToAvoid(seen)) await changeIfThere(id, { avoided })
    if (await mayFree()) await freeWaiting(seen)
  }

  /** It may have been removed since it was listed. */
  async function changeIfThere(id: string, change: Parameters<ServiceCalls['change']>[1]): Promise<void> {
    await calls.change(id, change).catch((cause: unknown) => {
      if (!isNotFound(cause)) throw cause
    })
  }

  return { stop, remove, keepApart }
}
