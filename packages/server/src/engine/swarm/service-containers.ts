import { poll } from '../../lib/retry.ts'
import { EngineError, isNotFound } from '../api/errors.ts'
import { field, text } from '../api/json.ts'
import type { ContainerSpec } from '../container-spec.ts'
import type { ContainerDetails, ContainerSummary } from '../container-state.ts'
import { LABEL } from '../labels.ts'
import { authHeader, type RegistryCredentials } from '../registry.ts'
import type { AllowedServers, SwarmNode } from './nodes.ts'
import type { ServiceCalls } from './service-calls.ts'
import { lostSettings, serviceRequest } from './service-spec.ts'
import { currentTask, detailsOfService, isLeaving, type Service, stateOf, summaryOfService, type Task, tasksOf } from './service-state.ts'
import type { MustPull } from './swarm.ts'

type Begin = { limitMs: number; after?: string }
type Deps = {
  calls: ServiceCalls
  /** Those that can take a container. */
  openNodes: (allowed: AllowedServers) => Promise<readonly SwarmNode[]>
  /** Swarm's ids of those that answer. */
  readyNodes: () => Promise<ReadonlySet<string>>
  namesOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The name and the digest under which the servers can pull an image of this engine. */
  published: (image: string, signal?: AbortSignal) => Promise<string>
  credentials: () => Promise<RegistryCredentials | undefined>
  mustPull: MustPull
  /** The id of the overlay network of a project, once this server reaches it. */
  networkOf: (labels: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<string>
  /** Whether this container of another server was killed because of its memory. */
  ranOutOfMemory: (server: { instance: string; nodeId: string }, containerId: string, signal?: AbortSignal) => Promise<boolean>
  now: () => Date
}

/** A service has one of these as its id; a container has 64 hexadecimal digits, or the 12 first of them. */
const SERVICE_ID = /^[a-z0-9]{25}$/
const LOOK_MS = 250
/** The server may have to pull the image first. */
const START_MS = 300_000
const WITHOUT_SERVER_MS = 20_000
const AFTER_GRACE_MS = 60_000
const KILLED = 137
const UNDER_WAY = ['new', 'allocated', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting']

export function isServiceId(id: string): boolean {
  return SERVICE_ID.test(id)
}

/**
 * Containers of releases that Swarm places, with the words of those that Berth places itself. Each is a service with one task, so that Berth
 * decides which replica starts, drains and ends, as on one server; Swarm decides where, and starts it elsewhere if its server is lost.
 */
export function createServiceContainers(deps: Deps) {
  const { now } = deps
  const calls = withoutLostTasks(deps)

  async function list({ labels, signal }: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<ContainerSummary[]> {
    const { services, tasks } = await calls.list(labels, signal)
    const ofReleases = services.filter(({ owner }) => owner.appId !== null)
    const found = ofReleases.map((service) => summaryOfService(service, tasksOf(service, tasks), now()))
    const names = await deps.namesOf(found.flatMap(({ nodeId }) => nodeId ?? []))
    return found.map((each) => ({ ...each, ...(each.nodeId !== undefined && { server: names.get(each.nodeId) ?? each.nodeId }) }))
  }

  async function inspect(id: string, signal?: AbortSignal): Promise<ContainerDetails | null> {
    const found = await calls.inspect(id, signal)
    if (found === null) return null
    const own = tasksOf(found.service, found.tasks)
    const details = detailsOfService(found.service, own, now())
    const { instance } = details.owner
    const ended = details.exitCode === KILLED ? own.find(({ exitCode }) => exitCode !== null) : undefined
    if (ended === undefined || instance === null) return details
    return { ...details, oomKilled: await deps.ranOutOfMemory({ instance, nodeId: ended.nodeId }, ended.containerId, signal) }
  }

  /** Returns once its task runs or has ended by itself. One that no server can run is removed again. */
  async function start(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    const image = await deps.published(spec.image, signal)
    const network = await deps.networkOf(spec.labels, signal)
    const body = serviceRequest(spec, { image, network, avoided: await nodesOfOthers(spec, signal), mustPull: deps.mustPull() })
    const id = text(field(await calls.create(body, authHeader(await deps.credentials()), signal), 'ID'))
    try {
      const lost = lostSettings(body, await calls.storedSpec(id, signal))
      if (lost.length > 0) throw new EngineError(500, `Swarm did not keep these settings of the container: ${lost.join(', ')}.`)
      const task = await begun(id, { limitMs: START_MS }, signal)
      if (task === undefined || UNDER_WAY.includes(task.state) || task.state === 'rejected') throw notStarted(task)
    } catch (cause) {
      if (cause instanceof EngineError) await calls.remove(id)
      throw cause
    }
    return id
  }

  /** The servers that run other replicas, as long as enough others can take this one. */
  async function nodesOfOthers({ labels, servers = {} }: ContainerSpec, signal?: AbortSignal): Promise<string[]> {
    const ofRelease = Object.fromEntries([LABEL.instance, LABEL.app, LABEL.deployment].map((key) => [key, labels[key] ?? '']))
    const { services, tasks } = await calls.list(ofRelease, signal)
    const same = services.filter(({ owner }) => (owner.service ?? '') === (labels[LABEL.service] ?? ''))
    const taken = new Set(same.flatMap((each) => currentTask(tasksOf(each, tasks))?.nodeId || []))
    return (await deps.openNodes(servers)).some(({ id }) => !taken.has(id)) ? [...taken] : []
  }

  /** Its newest task, created after this moment, once it runs or has ended; the last one seen if that takes too long. */
  async function begun(id: string, { limitMs, after = '' }: Begin, signal?: AbortSignal): Promise<Task | undefined> {
    const begunAt = performance.now()
    const look = async () => {
      const found = await calls.inspect(id, signal)
      return found === null ? undefined : tasksOf(found.service, found.tasks)[0]
    }
    const isOver = (task: Task | undefined) =>
      task !== undefined &&
      task.createdAt > after &&
      (!UNDER_WAY.includes(task.state) ||
        (task.state === 'pending' && task.error !== '' && performance.now() - begunAt > WITHOUT_SERVER_MS))
    return await poll(look, { until: isOver, everyMs: LOOK_MS, limitMs, ...(signal && { signal }) })
  }

  return { list, inspect, start, remove: calls.remove, ...createServiceVerbs({ ...deps, calls }, begun) }
}

export type ServiceContainers = ReturnType<typeof createServiceContainers>

/** Without the tasks that were to end on servers that are lost: nobody will ever say that they have. */
function withoutLostTasks({ calls, readyNodes }: Pick<Deps, 'calls' | 'readyNodes'>): ServiceCalls {
  async function known<Found extends { tasks: Task[] }>(found: Found): Promise<Found> {
    if (!found.tasks.some(isLeaving)) return found
    const ready = await readyNodes()
    return { ...found, tasks: found.tasks.filter((task) => !isLeaving(task) || ready.has(task.nodeId)) }
  }

  return {
    ...calls,
    list: async (labels, signal) => await known(await calls.list(labels, signal)),
    inspect: async (id, signal) => {
      const found = await calls.inspect(id, signal)
      return found && (await known(found))
    },
  }
}

/** Starting, stopping and restarting what is there. */
function createServiceVerbs({ calls }: Deps, begun: (id: string, begin: Begin, signal?: AbortSignal) => Promise<unknown>) {
  async function look(id: string, signal?: AbortSignal): Promise<{ service: Service; state: string; newest: string } | null> {
    const found = await calls.inspect(id, signal)
    if (found === null) return null
    const own = tasksOf(found.service, found.tasks)
    return { service: found.service, state: stateOf(found.service, own), newest: own[0]?.createdAt ?? '' }
  }

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
    if (isDown) await calls.change(id, { replicas: 1, isAnew: !isStopped, isFree: true }, signal)
    await begun(id, { limitMs: AFTER_GRACE_MS, ...(isDown && { after: newest }) }, signal)
  }

  /** By Swarm, which stops the task first: it is never seen as one that has ended. */
  async function restart(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
    const { newest } = await existing(id, signal)
    await calls.change(id, { replicas: 1, isAnew: true }, signal)
    await begun(id, { limitMs: graceSeconds * 1000 + AFTER_GRACE_MS, after: newest }, signal)
  }

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

  /** A task that waits because the servers it may use are gone may use all of them from now on. */
  async function freeWaiting(labels: Readonly<Record<string, string>>): Promise<void> {
    const { services, tasks } = await calls.list(labels)
    for (const service of services) {
      const task = tasksOf(service, tasks)[0]
      if (service.avoided.length > 0 && task?.state === 'pending' && task.error !== '') await calls.change(service.id, { isFree: true })
    }
  }

  return { startAgain, stop, restart, freeWaiting }
}

function notStarted(task: Task | undefined): EngineError {
  const why = task?.error ?? ''
  if (task?.state === 'pending') return new EngineError(503, `No server can run it now: ${why || 'none is free'}. See Servers.`)
  if (task?.state === 'rejected' && /no such image/i.test(why))
    return new EngineError(500, `A server could not pull the image from the registry (${why}). Check the server: see Servers.`)
  return new EngineError(500, `A server could not start it: ${why || task?.state || 'it gave no reason'}`)
}
