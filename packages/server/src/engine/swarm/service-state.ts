import { cleanLine } from '../../lib/clean-line.ts'
import { count, field, items, record, text, texts } from '../api/json.ts'
import { type ContainerDetails, type ContainerSummary, statusText } from '../container-state.ts'
import { type Owner, ownerOf, projectNetworkName, STARTS_LABEL } from '../labels.ts'

/** One start of a service's container, on one node. */
export type Task = {
  readonly serviceId: string
  readonly nodeId: string
  /** Of that node's engine; empty before there is one. */
  readonly containerId: string
  /** Swarm's word: new, pending, assigned, preparing, starting, running, complete, failed, rejected, shutdown, orphaned, … */
  readonly state: string
  /** What Swarm wants of it. */
  readonly desired: string
  readonly address: string
  readonly at: string
  readonly createdAt: string
  readonly exitCode: number | null
  readonly error: string
}

export type Service = {
  readonly id: string
  readonly name: string
  readonly owner: Owner
  readonly image: string
  readonly replicas: number
  readonly createdAt: string
  readonly graceSeconds: number
  /** Nodes that it was told not to use. */
  readonly avoided: readonly string[]
  /** The ids of the secrets that its container has. */
  readonly secrets: readonly string[]
  /** With any, it runs on the server with our id `serverId` alone. `isAlone`: nothing else may have it meanwhile. */
  readonly volumes: readonly { readonly name: string; readonly path: string; readonly isAlone: boolean }[]
  readonly serverId: string
  /** With one, it runs only on servers that people gave this label. */
  readonly label: string
  /** When Berth last started it again after it had ended, if it has data: Swarm tells only of the last end. */
  readonly startedAgain: readonly number[]
}

/** The server that has the data of a service. `why` says why it cannot run it now; empty if it can. */
export type DataServer = { readonly name: string; readonly isLost: boolean; readonly why: string }

const LONGEST_ERROR = 500
const ENDED = ['complete', 'failed']
const GONE = [...ENDED, 'rejected', 'shutdown', 'orphaned', 'remove']
const AVOIDED = /^node\.id!=/
const SERVER = /^node\.labels\.berth\.server==/
const OF_PEOPLE = /^node\.labels\.berth\.label\.(.+)==true$/
/** What has data is started by Berth. If it was started again so often within so long and has ended, Berth waits. */
const MOST_STARTS = 3
const STARTS_WITHIN_MS = 120_000
const PAUSE_MS = 30_000

export function taskOf(value: unknown): Task {
  const status = field(value, 'Status')
  const state = text(field(status, 'State'))
  const [attached] = items(field(value, 'NetworksAttachments'))
  const hasEnded = ENDED.includes(state)
  return {
    serviceId: text(field(value, 'ServiceID')),
    nodeId: text(field(value, 'NodeID')),
    containerId: text(field(status, 'ContainerStatus', 'ContainerID')),
    state,
    desired: text(field(value, 'DesiredState')),
    address: text(items(field(attached, 'Addresses'))[0]).replace(/\/\d+$/, ''),
    at: text(field(status, 'Timestamp')),
    createdAt: text(field(value, 'CreatedAt')),
    exitCode: hasEnded ? count(field(status, 'ContainerStatus', 'ExitCode')) : null,
    error: cleanLine(text(field(status, 'Err'))).slice(0, LONGEST_ERROR),
  }
}

export function serviceOf(value: unknown): Service {
  const [spec, template] = [field(value, 'Spec'), field(value, 'Spec', 'TaskTemplate')]
  const constraints = items(field(template, 'Placement', 'Constraints')).map(text)
  return {
    id: text(field(value, 'ID')),
    name: text(field(spec, 'Name')),
    owner: ownerOf(texts(field(spec, 'Labels'))),
    image: text(field(template, 'ContainerSpec', 'Image')),
    replicas: count(field(spec, 'Mode', 'Replicated', 'Replicas')),
    createdAt: text(field(value, 'CreatedAt')),
    graceSeconds: count(field(template, 'ContainerSpec', 'StopGracePeriod')) / 1e9,
    avoided: constraints.filter((each) => AVOIDED.test(each)).map((each) => each.replace(AVOIDED, '')),
    serverId: (constraints.find((each) => SERVER.test(each)) ?? '').replace(SERVER, ''),
    startedAgain: startsIn(texts(field(spec, 'Labels'))),
    label: constraints.flatMap((each) => OF_PEOPLE.exec(each)?.[1] ?? [])[0] ?? '',
    volumes: items(field(template, 'ContainerSpec', 'Mounts'))
      .filter((mount) => text(field(mount, 'Type')) === 'volume')
      .map((mount) => ({
        name: text(field(mount, 'Source')),
        path: text(field(mount, 'Target')),
        isAlone: field(mount, 'VolumeOptions', 'NoCopy') !== true,
      })),
    secrets: items(field(template, 'ContainerSpec', 'Secrets')).map((secret) => text(field(secret, 'SecretID'))),
  }
}

function startsIn(labels: Readonly<Record<string, string>>): number[] {
  return (labels[STARTS_LABEL] ?? '')
    .split(',')
    .map(Number)
    .filter((at) => at > 0)
}

/** Its tasks, newest first. */
export function tasksOf({ id }: Pick<Service, 'id'>, tasks: readonly Task[]): Task[] {
  return tasks.filter(({ serviceId }) => serviceId === id).toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
}

/** Swarm wants it to end, and goes on saying that it runs as long as its server does not answer. */
export function isLeaving({ state, desired }: Task): boolean {
  return state === 'running' && desired !== 'running'
}

/** The task that counts now: the one that runs, or else the newest. Of one that is about to be replaced, the new one does not run yet. */
export function currentTask(own: readonly Task[]): Task | undefined {
  return own.find(({ state, desired }) => state === 'running' && desired === 'running') ?? own[0]
}

/** The state as the engine would give it for a container. */
export function stateOf({ replicas }: Pick<Service, 'replicas'>, own: readonly Task[]): string {
  const current = currentTask(own)
  if (replicas === 0) return own.some(({ state }) => state === 'running') ? 'running' : 'exited'
  if (current?.state === 'running' && current.desired === 'running') return 'running'
  // a start takes seconds, also the first one, and nobody may begin another meanwhile
  return current !== undefined && GONE.includes(current.state) ? 'exited' : 'restarting'
}

/** Of one with data: it runs, or waits for its server, or for its turn after many failures. */
function stateWithData(
  service: Service,
  own: readonly Task[],
  { isLost, why }: DataServer,
  now: Date,
): { state: string; waitsFor: string } {
  const state = service.replicas > 0 && isLost ? 'restarting' : stateOf(service, own)
  if (service.replicas === 0 || state === 'running') return { state, waitsFor: '' }
  if (why !== '') return { state: 'restarting', waitsFor: why }
  const since = (at: number) => now.getTime() - at
  const starts = service.startedAgain.filter((at) => since(at) < STARTS_WITHIN_MS)
  const hasJustEnded = own.some(({ state: word, at }) => ENDED.includes(word) && since(Date.parse(at)) < PAUSE_MS)
  const isPaused = starts.length >= MOST_STARTS && hasJustEnded
  return { state: state === 'exited' && isPaused ? 'restarting' : state, waitsFor: '' }
}

/** The one that no server can run now. */
function waitingTask({ replicas }: Pick<Service, 'replicas'>, own: readonly Task[]): Task | undefined {
  const current = currentTask(own)
  return replicas > 0 && current?.state === 'pending' && current.error !== '' ? current : undefined
}

/** A service as the container that it stands for. It keeps its id over the tasks that replace each other. */
export function detailsOfService(service: Service, own: readonly Task[], now: Date, dataServer?: DataServer): ContainerDetails {
  const { id, name, image, owner } = service
  const { state, waitsFor = '' } = dataServer ? stateWithData(service, own, dataServer, now) : { state: stateOf(service, own) }
  const current = currentTask(own)
  const ended = own.find(({ exitCode }) => exitCode !== null)
  const times = {
    startedAt: state === 'running' ? (current?.at ?? null) : null,
    finishedAt: state === 'running' ? null : (ended?.at ?? null),
  }
  const exitCode = state === 'exited' || state === 'restarting' ? (ended?.exitCode ?? null) : null
  const why = waitsFor || (waitingTask(service, own)?.error ?? '')
  return {
    id,
    name,
    image,
    state,
    status: why === '' ? statusText({ state, exitCode, ...times }, now) : `Waiting for a server: ${why}`,
    exitCode,
    oomKilled: false, // only the agent of its server can tell
    ...times,
    ips: addressesOf(service, state === 'running' ? current : undefined),
    owner,
    fingerprint: '',
    restartCount: own.filter((task) => ENDED.includes(task.state)).length,
    isTty: false,
    pid: null,
    volumes: service.volumes.map(({ name: volume, path }) => ({ name: volume, path })),
    publishedPorts: [],
    portBindings: [],
    health: '',
    healthOutput: '',
    stopGraceSeconds: service.graceSeconds,
    givenIps: {},
    ...(why !== '' && { waitsFor: why }),
    ...(dataServer && { dataServer: dataServer.name }),
  }
}

export function summaryOfService(service: Service, own: readonly Task[], now: Date, dataServer?: DataServer): ContainerSummary {
  const { id, name, image, state, status, ips, owner, exitCode } = detailsOfService(service, own, now, dataServer)
  const { nodeId = '' } = currentTask(own) ?? {}
  const waiting = dataServer ? undefined : waitingTask(service, own)
  const ofData = dataServer && { dataServer: dataServer.name, hasFailed: state === 'exited' && service.replicas > 0 && exitCode !== 0 }
  const leaving = state === 'running' || service.replicas === 0 || dataServer ? undefined : own.find(isLeaving)
  const placed = {
    ...(nodeId !== '' && { nodeId }),
    ...(waiting && { waitingSince: waiting.createdAt }),
    ...(leaving && { lastIps: addressesOf(service, leaving) }),
    ...ofData,
  }
  return { id, name, image, state, status, ips, owner, createdAt: service.createdAt, ...placed }
}

/** As everywhere, under the name of the project's network: to others it is the address of the app's container in its project. */
function addressesOf({ owner }: Service, task: Task | undefined): Record<string, string> {
  if (task === undefined || task.address === '' || owner.instance === null || owner.projectId === null) return {}
  return { [projectNetworkName(owner.instance, owner.projectId)]: task.address }
}

type ServiceChange = { replicas?: number; isAnew?: boolean; isFree?: boolean; avoided?: readonly string[]; startedAgain?: number }

/** What a service has to become to run as wanted. `isAnew` replaces the task that runs; `isFree` lets it run on nodes that it was told not to use. */
export function changedService(spec: unknown, { replicas, isAnew, isFree, avoided, startedAgain }: ServiceChange): Record<string, unknown> {
  const template = record(field(spec, 'TaskTemplate'))
  const placement = record(template['Placement'])
  const others = items(placement['Constraints'])
    .map(text)
    .filter((each) => !AVOIDED.test(each))
  const labels = texts(field(spec, 'Labels'))
  const starts = startedAgain === undefined ? [] : [...startsIn(labels), startedAgain].slice(-MOST_STARTS)
  const constraints = [...others, ...(avoided ?? []).map((id) => `node.id!=${id}`)]
  return {
    ...record(spec),
    ...(starts.length > 0 && { Labels: { ...labels, [STARTS_LABEL]: starts.join() } }),
    TaskTemplate: {
      ...template,
      ...((isFree || avoided) && { Placement: { ...placement, Constraints: constraints } }),
      ...(isAnew && { ForceUpdate: count(template['ForceUpdate']) + 1 }),
    },
    ...(replicas !== undefined && { Mode: { Replicated: { Replicas: replicas } } }),
  }
}
