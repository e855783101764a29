import { isDeepStrictEqual } from 'node:util'
import { coalesce } from '../../lib/coalesce.ts'
import { retry } from '../../lib/retry.ts'
import { EngineError, EngineUnreachable, isNotFound, SwarmUnavailable } from '../api/errors.ts'
import { count, field, filters, items, record, text, texts } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { LABEL, type Owner, ownerOf } from '../labels.ts'
import { OVERLAY_ADDRESSES } from '../subnets.ts'
import { changedSpec, type NodeChange, nodeOf, type SwarmNode } from './nodes.ts'
import { MANAGER_PORT } from './ports.ts'

/** This machine, as its engine describes it. */
export type Machine = { readonly name: string; readonly engine: string; readonly cores: number; readonly memoryBytes: number }
export type SwarmState =
  | { readonly is: 'off'; readonly machine: Machine; readonly hasLiveRestore: boolean }
  /** `other`: created by somebody else. `worker`: this machine is not one of its managers. */
  | { readonly is: 'other' | 'worker'; readonly machine: Machine }
  | { readonly is: 'ours'; readonly machine: Machine; readonly nodeId: string; readonly openUntil: string | null }

/** On the cluster: until when the join token was given to somebody. */
const OPEN_UNTIL = 'berth.join-until'
const OVERLAY_BITS = 24
/** Without a leader, a manager does not answer at all. */
const ANSWER_MS = 3000
const CHANGE_MS = 30_000
const MOST_TRIES = 5
const LEAVE_AGAIN_MS = 500
/**
 * Of each container Swarm keeps the task that runs and the last one that ended, which tells why it ended and that it did. Its default of five, each with
 * all its settings, and of 10,000 changes between two snapshots, would let people who deploy fill the memory and the disk of managers.
 */
const KEPT_TASKS = 2
/**
 * A new manager takes about a second for each large change since the last snapshot, and until it has them all no manager changes anything. A
 * snapshot takes a moment, however much there was before. So there are few changes between two of them, and few are kept after one.
 */
const MOST_CHANGES = 50
const MOST_KEPT_CHANGES = 10

function gaveUpWaiting(cause: unknown): boolean {
  return cause instanceof EngineError && cause.message.includes('deadline exceeded')
}

/** Whether a check counts only if the server has pulled an image from this Berth. */
export type MustPull = () => boolean

/** The swarm of this engine: whether there is one, its nodes and its join token. Only one that has our label is changed. */
export function createSwarm({ transport, mustPull = () => false }: { transport: Transport; mustPull?: MustPull }) {
  const get = async (path: string, query: Record<string, string> = {}) =>
    await answered(transport.json({ method: 'GET', path, query, timeoutMs: ANSWER_MS }))
  async function list<Item>(path: string, read: (item: unknown) => Item, query: Record<string, string> = {}): Promise<Item[]> {
    return await answered(transport.list({ method: 'GET', path, query, timeoutMs: ANSWER_MS }, read))
  }

  /** Once it was seen as ours, an engine that does not answer in time is one without a leader. */
  let isKnown = false

  async function state(instance: string): Promise<SwarmState> {
    const info = isKnown ? await get('/info') : await transport.json({ method: 'GET', path: '/info' })
    const machine = {
      name: text(field(info, 'Name')),
      engine: text(field(info, 'ServerVersion')),
      cores: count(field(info, 'NCPU')),
      memoryBytes: count(field(info, 'MemTotal')),
    }
    const local = text(field(info, 'Swarm', 'LocalNodeState'))
    isKnown &&= local === 'active'
    if (local === 'inactive' || local === '') return { is: 'off', machine, hasLiveRestore: field(info, 'LiveRestoreEnabled') === true }
    if (local !== 'active') throw new SwarmUnavailable(text(field(info, 'Swarm', 'Error')) || `The swarm is ${local}.`)
    if (field(info, 'Swarm', 'ControlAvailable') !== true) return { is: 'worker', machine }
    const labels = texts(field(await get('/swarm'), 'Spec', 'Labels'))
    if (labels[LABEL.instance] !== instance) return { is: 'other', machine }
    isKnown = true
    return { is: 'ours', machine, nodeId: text(field(info, 'Swarm', 'NodeID')), openUntil: labels[OPEN_UNTIL] ?? null }
  }

  async function turnOn(instance: string, address: string): Promise<void> {
    const listen = `${address}:${MANAGER_PORT}` // on this address alone
    // what leaves such a network for its own server comes over docker_gwbridge, which the firewall knows
    const pool = { DefaultAddrPool: [OVERLAY_ADDRESSES], SubnetSize: OVERLAY_BITS }
    const body = { ListenAddr: listen, AdvertiseAddr: listen, ...pool, Spec: limitedSpec({ Labels: { [LABEL.instance]: instance } }) }
    await transport.json({ method: 'POST', path: '/swarm/init', body, timeoutMs: CHANGE_MS })
  }

  /** The engine waits for 15 s until its own parts have ended. They go on ending, so it is asked again. */
  async function turnOff(): Promise<void> {
    const leave = async () => await transport.json({ method: 'POST', path: '/swarm/leave', query: { force: true }, timeoutMs: CHANGE_MS })
    await retry(leave, { isTransient: gaveUpWaiting, delayMs: (failures) => (failures < MOST_TRIES ? LEAVE_AGAIN_MS : undefined) })
  }

  /** What should run on the nodes, of everybody. */
  async function tasks(): Promise<{ nodeId: string; owner: Owner }[]> {
    const owners = new Map(await list('/services', (service) => [text(field(service, 'ID')), ownerOfService(service)] as const))
    const read = (task: unknown) => ({
      nodeId: text(field(task, 'NodeID')),
      owner: owners.get(text(field(task, 'ServiceID'))) ?? ownerOf({}),
    })
    return await list('/tasks', read, { filters: filters({ 'desired-state': ['running'] }) })
  }

  /** Of all services, also those that are stopped. */
  async function owners(): Promise<Owner[]> {
    return await list('/services', ownerOfService)
  }

  async function countServices(): Promise<number> {
    return (await owners()).length
  }

  return {
    state,
    turnOn,
    turnOff,
    ...createSettings({ transport, get }),
    ...createNodes({ transport, get, mustPull }),
    tasks,
    owners,
    countServices,
  }
}

export type Swarm = ReturnType<typeof createSwarm>

function createSettings({ transport, get }: { transport: Transport; get: Get }) {
  /** What Swarm keeps, also of one that an earlier Berth has switched on. */
  async function limitHistory(): Promise<void> {
    await inSequence(async () => {
      const swarm = await get('/swarm')
      const spec = record(field(swarm, 'Spec'))
      const body = limitedSpec(spec)
      if (isDeepStrictEqual(body, spec)) return
      const query = { version: count(field(swarm, 'Version', 'Index')) }
      await answered(transport.json({ method: 'POST', path: '/swarm/update', query, body, timeoutMs: CHANGE_MS }))
    })
  }

  /** A new join token for workers, which makes the earlier one invalid. With `until` it is going to be given to somebody. */
  async function replaceToken(until?: string): Promise<string> {
    await inSequence(async () => {
      const swarm = await get('/swarm')
      const { [OPEN_UNTIL]: _earlier, ...labels } = texts(field(swarm, 'Spec', 'Labels'))
      const body = { ...record(field(swarm, 'Spec')), Labels: { ...labels, ...(until === undefined ? {} : { [OPEN_UNTIL]: until }) } }
      const query = { version: count(field(swarm, 'Version', 'Index')), rotateWorkerToken: true }
      await answered(transport.json({ method: 'POST', path: '/swarm/update', query, body, timeoutMs: CHANGE_MS }))
    })
    return text(field(await get('/swarm'), 'JoinTokens', 'Worker'))
  }

  return { limitHistory, replaceToken }
}

function limitedSpec(spec: Record<string, unknown>): Record<string, unknown> {
  const raft = record(spec['Raft'])
  const atMost = (name: string, most: number) => Math.min(count(raft[name]) || most, most)
  const limits = {
    SnapshotInterval: atMost('SnapshotInterval', MOST_CHANGES),
    LogEntriesForSlowFollowers: atMost('LogEntriesForSlowFollowers', MOST_KEPT_CHANGES),
  }
  return {
    ...spec,
    Orchestration: { ...record(spec['Orchestration']), TaskHistoryRetentionLimit: KEPT_TASKS },
    Raft: { ...raft, ...limits },
  }
}

function ownerOfService(service: unknown): Owner {
  return ownerOf(texts(field(service, 'Spec', 'Labels')))
}

type Get = (path: string) => Promise<unknown>

function createNodes({ transport, get, mustPull }: { transport: Transport; get: Get; mustPull: MustPull }) {
  const nodes = coalesce(async (): Promise<SwarmNode[]> => items(await get('/nodes')).map((node) => nodeOf(node, mustPull())))

  async function changeNode(id: string, change: NodeChange): Promise<void> {
    await inSequence(async () => {
      const node = await get(`/nodes/${id}`)
      const query = { version: count(field(node, 'Version', 'Index')) }
      const body = changedSpec(field(node, 'Spec'), change, mustPull())
      await answered(transport.json({ method: 'POST', path: `/nodes/${id}/update`, query, body, timeoutMs: CHANGE_MS }))
    })
  }

  /** Also one that still answers: from then on it is not listened to any more. */
  async function removeNode(id: string): Promise<void> {
    try {
      await answered(transport.json({ method: 'DELETE', path: `/nodes/${id}`, query: { force: true }, timeoutMs: CHANGE_MS }))
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  return { nodes, changeNode, removeNode }
}

/** Two changes at the same time: the engine refuses the second, which then starts from the result of the first. */
export async function inSequence(change: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change()
    } catch (cause) {
      if (tries === MOST_TRIES || !(cause instanceof EngineError && cause.message.includes('out of sequence'))) throw cause
    }
  }
}

/** Also what the managers say to those who ask in the moment when the leader is lost. */
const WITHOUT_LEADER = /not have a leader|not a swarm manager|deadline exceeded|(lost|losing) leader|code = (Unavailable|Canceled)\b/i

/** No answer in time, and an answer that there is no leader, are the same. */
export async function answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (cause) {
    const isLate = cause instanceof EngineUnreachable && cause.message.includes('in time')
    if (isLate || (cause instanceof EngineError && WITHOUT_LEADER.test(cause.message))) throw new SwarmUnavailable(cause.message, { cause })
    throw cause
  }
}
