import { networkInterfaces } from 'node:os'
import type { MetricsHistory, Server, ServerOutage, Servers } from '@berth/contract'
import type { Engine } from '../../engine/engine.ts'
import { ownedBy } from '../../engine/labels.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import type { Machine, SwarmState } from '../../engine/swarm/swarm.ts'
import type { Db } from '../../store/database.ts'
import { reachableAddresses } from './join-command.ts'
import { troubleOf, troubleOfManagers } from './rules.ts'
import { appNames } from './store.ts'
import { CHANGES, EDGE_LOST, IS_WORKER, imageChange, imageUse, NOT_OURS, PLACING, PORTS } from './words.ts'

export type Checked = Pick<Server, 'checks' | 'checkedAt'>
type Deps = {
  db: Db
  engine: Pick<Engine, 'swarm' | 'containers' | 'placement' | 'loadOfServer'>
  instance: string
  metrics: () => MetricsHistory
  /** The ports on which other servers get images from this one. */
  imagePorts: () => readonly number[]
  checkedOf: (serverId: string) => Checked
  ownEdge: () => Server['edge']
  edgeOf: (serverId: string) => Server['edge']
  outages: () => Promise<ServerOutage[]>
}
type Ours = Extract<SwarmState, { is: 'ours' }>
type Runs = Server['runs']
/** What is known of a server besides its node in the Swarm. */
type Extra = Pick<Server, 'isThis' | 'runs' | 'cpu' | 'memory' | 'edge'> & { trouble: string; checkedOf: Deps['checkedOf'] }

/** The id of the only server, as long as there is no Swarm. */
const ONLY = 'this'

/** The servers as they are now, each with what runs there. */
export function createListing(deps: Deps) {
  const { engine, instance } = deps
  const { load, loadOf } = createLoads(deps)

  async function list(): Promise<Servers> {
    const state = await engine.swarm.state(instance)
    const isSwarm = state.is === 'ours'
    const servers = isSwarm ? await inSwarm(state) : [{ ...alone(state.machine), runs: await runsOf(deps.db, await containersHere()) }]
    const message = state.is === 'other' ? NOT_OURS : state.is === 'worker' ? IS_WORKER : ''
    const adding = {
      changes: state.is === 'off' ? [...CHANGES, ...deps.imagePorts().map(imageChange)] : [],
      ports: [...PORTS, ...deps.imagePorts().map(imageUse)],
      addresses: reachableAddresses(networkInterfaces()),
      openUntil: isSwarm ? state.openUntil : null,
    }
    const placing = isSwarm ? engine.placement.whyNot() || PLACING : ''
    return { isSwarm, servers, adding, message, placing, outages: await deps.outages() }
  }

  function alone({ name, engine: version, cores, memoryBytes }: Machine): Omit<Server, 'runs'> {
    const place = {
      id: ONLY,
      name,
      address: '',
      isThis: true,
      role: 'manager',
      isLeader: true,
      state: 'ready',
      availability: 'active',
    } as const
    const machine = { engine: version, cores, memoryBytes, ...load(), edge: deps.ownEdge() }
    return { ...place, ...machine, labels: [], message: '', isChecked: true, ...deps.checkedOf(ONLY) }
  }

  async function inSwarm({ nodeId }: Ours): Promise<Server[]> {
    const [nodes, tasks, here] = [await engine.swarm.nodes(), await engine.swarm.tasks(), await containersHere()]
    const shown = await Promise.all(
      nodes.map(async (node) => {
        const isThis = node.id === nodeId
        const there = tasks.filter((task) => task.nodeId === node.id).flatMap(({ owner }) => owner.appId ?? [])
        return serverOf(node, {
          isThis,
          checkedOf: deps.checkedOf,
          trouble: isThis ? troubleOfManagers(nodes) : '',
          edge: isThis ? deps.ownEdge() : edgeThere(node, deps.edgeOf),
          runs: await runsOf(deps.db, isThis ? [...here, ...there] : there),
          ...(await loadOf(node, isThis)),
        })
      }),
    )
    return shown.toSorted((a, b) => Number(b.isThis) - Number(a.isThis) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
  }

  /** The app of each running container that Berth has started here itself. */
  async function containersHere(): Promise<number[]> {
    const containers = await engine.containers.list({ labels: ownedBy({ instance }) })
    return containers.filter(({ state, nodeId }) => state === 'running' && nodeId === undefined).flatMap(({ owner }) => owner.appId ?? [])
  }

  return { list }
}

function createLoads({ engine, instance, metrics }: Deps) {
  async function loadOf({ id: nodeId, isReady }: SwarmNode, isThis: boolean): Promise<Pick<Server, 'cpu' | 'memory'>> {
    if (isThis) return load()
    return (isReady ? await engine.loadOfServer({ instance, nodeId }) : null) ?? { cpu: null, memory: null }
  }

  function load(): Pick<Server, 'cpu' | 'memory'> {
    const point = metrics().points.at(-1)
    return { cpu: point?.cpu.usage ?? null, memory: point?.memory.percent ?? null }
  }

  return { load, loadOf }
}

function edgeThere({ isEdge, isReady, serverId }: SwarmNode, edgeOf: Deps['edgeOf']): Server['edge'] {
  if (!isEdge) return { state: 'off', message: '' }
  return isReady ? edgeOf(serverId) : { state: 'unreachable', message: EDGE_LOST }
}

function serverOf(node: SwarmNode, { trouble, checkedOf, ...extra }: Extra): Server {
  const { id, serverId, name, address, role, isLeader, availability, engine: version, cores, memoryBytes } = node
  const known = serverId === '' ? id.toLowerCase() : serverId
  const machine = { engine: version, cores, memoryBytes, labels: [...node.labels] }
  const place = { id: known, name, address, role, isLeader, state: node.isReady ? 'ready' : 'down', availability } as const
  const found = { message: troubleOf(node) || trouble, isChecked: extra.isThis || node.isChecked, ...checkedOf(known) }
  return { ...place, ...machine, ...extra, ...found }
}

async function runsOf(db: Db, appIds: readonly number[]): Promise<Runs> {
  const counts = new Map<number, number>()
  for (const appId of appIds) counts.set(appId, (counts.get(appId) ?? 0) + 1)
  const names = await appNames(db, [...counts.keys()])
  return [...counts].flatMap(([appId, containers]) => {
    const appName = names.get(appId)
    return appName === undefined ? [] : [{ appId, appName, containers }]
  })
}
