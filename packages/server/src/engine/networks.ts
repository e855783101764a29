import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore } from '../lib/semaphore.ts'
import { engineRange } from './addresses.ts'
import { EngineError, isConflict, isNotFound } from './api/errors.ts'
import { count, field, filters, items, labelFilter, record, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { hostSubnets } from './host-routes.ts'
import { labelsOf, type Maker, type Owner, ownerOf, projectNetworkName } from './labels.ts'
import { freeSubnets } from './subnets.ts'

export type Network = {
  readonly id: string
  readonly name: string
  readonly subnets: readonly string[]
  readonly owner: Owner
  readonly containers: number
}

const MAX_TRIES = 32
/** Of nodes that create the same network at the same moment: each waits for another while, so that one of them is first. */
const MOST_TWINS = 10
const TWIN_PAUSE_MS = 300
/** Within this time whoever created one of two has removed it. */
const TWIN_GONE_MS = 1000

/** Bridge networks with subnets from our own pool. */
export function createNetworks(deps: { transport: Transport }) {
  const { transport } = deps
  const { inspect, list, remove, named, onlyOne } = createNetworkCalls(transport)
  const oneAtATime = createSemaphore(1) // two concurrent calls would choose the same subnet

  async function ensureProjectNetwork(project: { instance: string; projectId: number }, signal?: AbortSignal): Promise<Network> {
    const owner = { instance: project.instance, kind: 'network', projectId: project.projectId } as const
    return ensure({ name: projectNetworkName(project.instance, project.projectId), owner }, signal)
  }

  async function ensure(wanted: { name: string; owner: Maker }, signal?: AbortSignal): Promise<Network> {
    return await oneAtATime.run(() => ensureNow(wanted, signal))
  }

  async function ensureNow(wanted: { name: string; owner: Maker }, signal: AbortSignal | undefined): Promise<Network> {
    for (let tries = 0; tries < MOST_TWINS; tries += 1) {
      const found = await onlyOne(wanted, signal)
      if (found !== null) return own(found, wanted.owner.instance)
      const made = await create(wanted, signal)
      if (made === null || (await named(wanted.name, signal)).length < 2) continue
      await remove(made, signal)
      await sleep(Math.random() * TWIN_PAUSE_MS, undefined, { ...(signal && { signal }) })
    }
    throw new EngineError(409, 'A network vanished while it was being set up. Try again.')
  }

  /** The id of the new network; null if somebody else was faster. */
  async function create(wanted: { name: string; owner: Maker }, signal: AbortSignal | undefined): Promise<string | null> {
    for (const subnet of freeSubnets(await takenSubnets(signal)).take(MAX_TRIES)) {
      const made = await createBridge(transport, { ...wanted, subnet }, signal)
      if (made !== 'subnet refused') return made === 'exists' ? null : made.id
    }
    throw new EngineError(409, 'There is no free address range for another network. Remove projects you no longer use.')
  }

  async function takenSubnets(signal: AbortSignal | undefined): Promise<string[]> {
    const ofEngine = items(await transport.json({ method: 'GET', path: '/networks', signal })).flatMap(
      (network) => networkOf(network).subnets,
    )
    const ofMachine = hostSubnets(await readFile('/proc/net/route', 'utf8').catch(() => ''))
    return [...ofEngine, ...ofMachine]
  }

  return { ensureProjectNetwork, ensure, inspect, list, remove }
}

/** What is asked of the engine by a name or an id. */
function createNetworkCalls(transport: Transport) {
  async function inspect(name: string, signal?: AbortSignal): Promise<Network | null> {
    try {
      return networkOf(await transport.json({ method: 'GET', path: `/networks/${encodeURIComponent(name)}`, signal }))
    } catch (cause) {
      if (isNotFound(cause)) return null
      throw cause
    }
  }

  async function list(wanted: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<Network[]> {
    const query = { filters: filters({ label: labelFilter(wanted.labels) }) }
    return items(await transport.json({ method: 'GET', path: '/networks', query, signal: wanted.signal })).map(networkOf)
  }

  async function remove(name: string, signal?: AbortSignal): Promise<void> {
    try {
      await transport.json({ method: 'DELETE', path: `/networks/${encodeURIComponent(name)}`, signal })
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  /** The engine's filter also finds names that contain this one. */
  async function named(name: string, signal: AbortSignal | undefined): Promise<Network[]> {
    const query = { filters: filters({ name: [name] }) }
    const found = items(await transport.json({ method: 'GET', path: '/networks', query, signal })).map(networkOf)
    return found.filter((network) => network.name === name)
  }

  /**
   * The engine lets two nodes create a network of the same name at the same moment, and then refuses that name as ambiguous. Whoever
   * created one and sees another removes its own; this removes what a node left that ended in between. The one with containers stays.
   */
  async function onlyOne({ name, owner }: { name: string; owner: Maker }, signal: AbortSignal | undefined): Promise<Network | null> {
    try {
      return await inspect(name, signal)
    } catch (cause) {
      if (!(cause instanceof EngineError) || !/ambiguous/i.test(cause.message)) throw cause
    }
    await sleep(TWIN_GONE_MS, undefined, { ...(signal && { signal }) })
    const twins = (await named(name, signal)).filter((twin) => twin.owner.instance === owner.instance)
    const looked = await Promise.all(twins.map(async ({ id }) => await inspect(id, signal)))
    const byUse = looked.filter((twin) => twin !== null).toSorted((a, b) => b.containers - a.containers || (a.id < b.id ? -1 : 1))
    for (const { id } of byUse.slice(1)) await remove(id, signal)
    return byUse[0] ?? null
  }

  return { inspect, list, remove, named, onlyOne }
}

/** `subnet refused`: for a reason that the engine's list of networks does not show. */
async function createBridge(
  transport: Transport,
  wanted: { name: string; owner: Maker; subnet: string },
  signal: AbortSignal | undefined,
): Promise<{ id: string } | 'exists' | 'subnet refused'> {
  const body = {
    Name: wanted.name,
    CheckDuplicate: true,
    Driver: 'bridge',
    IPAM: { Driver: 'default', Config: [{ Subnet: wanted.subnet, IPRange: engineRange(wanted.subnet) }] },
    Labels: labelsOf(wanted.owner),
  }
  try {
    return { id: text(field(await transport.json({ method: 'POST', path: '/networks/create', body, signal }), 'Id')) }
  } catch (cause) {
    if (cause instanceof EngineError && /overlap/i.test(cause.message)) return 'subnet refused'
    if (isConflict(cause) && /already exists/i.test((cause as EngineError).message)) return 'exists' // isConflict says which class it is
    throw cause
  }
}

function own(network: Network, instance: string): Network {
  if (network.owner.instance !== instance)
    throw new EngineError(409, `A network with the name ${network.name} exists but does not belong to Berth. Rename or remove it.`)
  return network
}

function networkOf(value: unknown): Network {
  return {
    id: text(field(value, 'Id')),
    name: text(field(value, 'Name')),
    subnets: items(field(value, 'IPAM', 'Config')).map((config) => text(field(config, 'Subnet'))),
    owner: ownerOf(texts(field(value, 'Labels'))),
    containers: count(Object.keys(record(field(value, 'Containers'))).length),
  }
}
