import { poll } from '../../lib/retry.ts'
import { EngineError } from '../api/errors.ts'
import { field, text } from '../api/json.ts'
import type { ContainerSpec } from '../container-spec.ts'
import type { ContainerDetails, ContainerSummary } from '../container-state.ts'
import { LABEL, ownerOf } from '../labels.ts'
import { authHeader, type RegistryCredentials } from '../registry.ts'
import { type DataGate, needsOf } from './data-gate.ts'
import type { AllowedServers, SwarmNode } from './nodes.ts'
import type { ServiceCalls } from './service-calls.ts'
import type { ServiceFiles } from './service-files.ts'
import { lostSettings, serviceRequest } from './service-spec.ts'
import { currentTask, detailsOfService, isLeaving, type Service, summaryOfService, type Task, tasksOf } from './service-state.ts'
import { type Begin, createServiceVerbs } from './service-verbs.ts'
import type { MustPull } from './swarm.ts'

type Deps = {
  calls: ServiceCalls
  /** Those that can take a container. */
  openNodes: (allowed: AllowedServers) => Promise<readonly SwarmNode[]>
  /** Swarm's ids of those that answer. */
  readyNodes: () => Promise<ReadonlySet<string>>
  namesOf: (nodeIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The name and the digest under which the servers can pull an image of this engine. */
  published: (image: string, signal?: AbortSignal, projectId?: number) => Promise<string>
  credentials: () => Promise<RegistryCredentials | undefined>
  mustPull: MustPull
  /** The id of the overlay network of a project, once this server reaches it. */
  networkOf: (labels: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<string>
  ensureFiles: ServiceFiles['ensure']
  /** Of what has volumes. */
  dataServerOf: DataGate['dataServerOf']
  /** Throws if a container with these volumes must not be started now. */
  passDataGate: DataGate['pass']
  /** Whether this container of another server was killed because of its memory. */
  ranOutOfMemory: (
    server: { instance: string; nodeId: string; project: number },
    containerId: string,
    signal?: AbortSignal,
  ) => Promise<boolean>
  now: () => Date
}

/** The ids of services. Those of containers are 64 hexadecimal digits, or their first 12. */
const SERVICE_ID = /^[a-z0-9]{25}$/
const LOOK_MS = 250
/** The server may have to pull the image first. */
const START_MS = 300_000
const WITHOUT_SERVER_MS = 20_000
const KILLED = 137
const UNDER_WAY = ['new', 'allocated', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting']

export function isServiceId(id: string): boolean {
  return SERVICE_ID.test(id)
}

/**
 * Containers of releases that Swarm places, with the interface of those that Berth places itself. Each is a service with one task, so that Berth
 * decides which replica starts, drains and ends, as on one server; Swarm decides where, and starts it elsewhere if its server is lost.
 */
export function createServiceContainers(deps: Deps) {
  const calls = withoutLostTasks(deps)
  const { list, inspect } = createServiceReads({ ...deps, calls })

  /** Returns once its task runs or has ended by itself. One that no server can run is removed again. */
  async function start(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    const image = await deps.published(spec.image, signal, ownerOf(spec.labels).projectId ?? undefined)
    const network = await deps.networkOf(spec.labels, signal)
    const files = await deps.ensureFiles(spec, signal)
    const body = serviceRequest(spec, { image, network, avoided: await nodesOfOthers(spec, signal), files, mustPull: deps.mustPull() })
    await deps.passDataGate(needsOf(spec), signal)
    const id = text(field(await calls.create(body, authHeader(await deps.credentials()), signal), 'ID'))
    try {
      const lost = lostSettings(body, await calls.storedSpec(id, signal))
      if (lost.length > 0) throw new EngineError(500, `Swarm did not keep these settings of the container: ${lost.join(', ')}.`)
      const task = await begun(id, { limitMs: START_MS }, signal)
      if (task === undefined || UNDER_WAY.includes(task.state) || task.state === 'rejected') throw notStarted(task)
    } catch (cause) {
      if (cause instanceof EngineError) await verbs.remove(id)
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

  const verbs = createServiceVerbs({ ...deps, calls, begun })
  return { list, inspect, start, ...verbs }
}

export type ServiceContainers = ReturnType<typeof createServiceContainers>

/** Services as the containers that they stand for. */
function createServiceReads({ calls, now, ...deps }: Deps) {
  async function list({ labels, signal }: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<ContainerSummary[]> {
    const { services, tasks } = await calls.list(labels, signal)
    const ofReleases = services.filter(({ owner }) => owner.appId !== null)
    const withData = new Map<string, ReturnType<DataGate['dataServerOf']>>()
    for (const service of ofReleases)
      if (service.volumes.length > 0 && !withData.has(service.serverId)) withData.set(service.serverId, deps.dataServerOf(service))
    const dataServerOf = async ({ volumes, serverId }: Service) => (volumes.length === 0 ? undefined : await withData.get(serverId))
    const found = await Promise.all(
      ofReleases.map(async (each) => summaryOfService(each, tasksOf(each, tasks), now(), await dataServerOf(each))),
    )
    const names = await deps.namesOf(found.flatMap(({ nodeId }) => nodeId ?? []))
    return found.map((each) => ({ ...each, ...(each.nodeId !== undefined && { server: names.get(each.nodeId) ?? each.nodeId }) }))
  }

  async function inspect(id: string, signal?: AbortSignal): Promise<ContainerDetails | null> {
    const found = await calls.inspect(id, signal)
    if (found === null) return null
    const own = tasksOf(found.service, found.tasks)
    const details = detailsOfService(found.service, own, now(), await deps.dataServerOf(found.service))
    const { instance, projectId } = details.owner
    const ended = details.exitCode === KILLED ? own.find(({ exitCode }) => exitCode !== null) : undefined
    if (ended === undefined || instance === null) return details
    return {
      ...details,
      oomKilled: await deps.ranOutOfMemory({ instance, nodeId: ended.nodeId, project: projectId ?? 0 }, ended.containerId, signal),
    }
  }

  return { list, inspect }
}

/** Without tasks that were told to end on a server that is lost: Swarm never learns that they have. */
function withoutLostTasks({ calls, readyNodes }: Pick<Deps, 'calls' | 'readyNodes'>): ServiceCalls {
  async function known<Found extends { readonly tasks: readonly Task[] }>(found: Found): Promise<Found> {
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

function notStarted(task: Task | undefined): EngineError {
  const why = task?.error ?? ''
  if (task?.state === 'pending') return new EngineError(503, `No server can run it now: ${why || 'none is free'}. See Servers.`)
  if (task?.state === 'rejected' && /no such image/i.test(why))
    return new EngineError(500, `A server could not pull the image from the registry (${why}). Check the server: see Servers.`)
  return new EngineError(500, `A server could not start it: ${why || task?.state || 'it gave no reason'}`)
}
