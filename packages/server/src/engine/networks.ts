import { readFile } from 'node:fs/promises'
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

/** Bridge networks with subnets from our own pool. */
export function createNetworks(deps: { transport: Transport }) {
  const { transport } = deps
  const oneAtATime = createSemaphore(1) // two concurrent calls would choose the same subnet

  async function ensureProjectNetwork(project: { instance: string; projectId: number }, signal?: AbortSignal): Promise<Network> {
    const owner = { instance: project.instance, kind: 'network', projectId: project.projectId } as const
    return ensure({ name: projectNetworkName(project.instance, project.projectId), owner }, signal)
  }

  async function ensure(wanted: { name: string; owner: Maker }, signal?: AbortSignal): Promise<Network> {
    return await oneAtATime.run(() => ensureNow(wanted, signal))
  }

  async function ensureNow(wanted: { name: string; owner: Maker }, signal: AbortSignal | undefined): Promise<Network> {
    const found = await inspect(wanted.name, signal)
    if (found !== null) return own(found, wanted.owner.instance)
    for (const subnet of freeSubnets(await takenSubnets(signal)).take(MAX_TRIES)) {
      if (await createBridge(transport, { ...wanted, subnet }, signal))
        return own(await inspect(wanted.name, signal), wanted.owner.instance)
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

  return { ensureProjectNetwork, ensure, inspect, list, remove }
}

/** False if the engine rejects this subnet for a reason that its list of networks does not show. */
async function createBridge(
  transport: Transport,
  wanted: { name: string; owner: Maker; subnet: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const body = {
    Name: wanted.name,
    CheckDuplicate: true,
    Driver: 'bridge',
    IPAM: { Driver: 'default', Config: [{ Subnet: wanted.subnet, IPRange: engineRange(wanted.subnet) }] },
    Labels: labelsOf(wanted.owner),
  }
  try {
    await transport.json({ method: 'POST', path: '/networks/create', body, signal })
    return true
  } catch (cause) {
    if (cause instanceof EngineError && /overlap/i.test(cause.message)) return false
    if (isConflict(cause) && /already exists/i.test((cause as EngineError).message)) return true // isConflict says which class it is
    throw cause
  }
}

function own(network: Network | null, instance: string): Network {
  if (network === null) throw new EngineError(409, 'A network vanished while it was being set up. Try again.')
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
