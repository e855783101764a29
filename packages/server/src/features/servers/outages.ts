import type { ServerOutage } from '@berth/contract'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { ownedBy } from '../../engine/labels.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import type { Db } from '../../store/database.ts'
import { insertOutage, listOpenOutages, listOutages, type Outage, type Place, updateOutage } from './outages-store.ts'

type Deps = {
  db: Db
  engine: { readonly swarm: Pick<Engine['swarm'], 'nodes'>; readonly containers: Pick<Engine['containers'], 'list'> } & Pick<
    Engine,
    'placement'
  >
  instance: string
  now: () => Date
}
type Node = Pick<SwarmNode, 'id' | 'serverId' | 'name' | 'isReady'>

const SHOWN = 20

/** Notes when a server is lost and when it is back, and how many of its containers run elsewhere meanwhile. It moves nothing: Swarm does. */
export function createOutages({ db, engine, instance, now }: Deps) {
  /** What ran on each server at the last look, by Swarm's ids. After a restart nobody knows what a lost server ran. */
  let ran = new Map<string, Place[]>()

  async function look(): Promise<void> {
    if (!(await engine.placement.isSwarm())) return
    // Containers before nodes: if a server is lost between the two calls, its containers are still in this list.
    const running = (await engine.containers.list({ labels: ownedBy({ instance }) })).filter(({ state }) => state === 'running')
    const nodes = await engine.swarm.nodes()
    const open = await listOpenOutages(db)
    for (const node of nodes) if (isLost(node) && !open.some((outage) => outage.server_id === node.serverId)) await begin(node)
    for (const outage of open) await follow(outage, nodes, running)
    ran = Map.groupBy(
      running.flatMap(({ nodeId, owner }) => (nodeId === undefined ? [] : { nodeId, ...placeOf({ owner }) })),
      ({ nodeId }) => nodeId,
    )
  }

  async function begin({ id, serverId, name }: Node): Promise<void> {
    const places = (ran.get(id) ?? []).map(({ appId, service, replica }) => ({ appId, service, replica }))
    const row = { server_id: serverId, server_name: name, lost_at: now().toISOString(), places }
    await db.transaction(async (tx) => await insertOutage(tx, row))
  }

  /** Until the server answers again or was removed. */
  async function follow(outage: Outage, nodes: readonly Node[], running: readonly ContainerSummary[]): Promise<void> {
    const node = nodes.find(({ serverId }) => serverId === outage.server_id)
    const elsewhere = running.filter(({ nodeId }) => nodeId === undefined || nodeId !== node?.id).map(placeOf)
    const found = outage.places.filter((place) => elsewhere.some((each) => isSame(each, place))).length
    const moved = Math.max(outage.moved, found) // they may go back later
    const ended_at = node === undefined || node.isReady ? now().toISOString() : null
    if (moved === outage.moved && ended_at === null) return
    await db.transaction(async (tx) => await updateOutage(tx, outage.id, { moved, ended_at }))
  }

  async function list(): Promise<ServerOutage[]> {
    return (await listOutages(db, SHOWN)).map(({ id, server_name, lost_at, ended_at, places, moved }) => {
      return { id, serverName: server_name, lostAt: lost_at, endedAt: ended_at, containers: places.length, moved }
    })
  }

  return { look, list }
}

/** One that has just joined has no id of ours yet. */
function isLost({ isReady, serverId }: Node): boolean {
  return !isReady && serverId !== ''
}

function placeOf({ owner }: Pick<ContainerSummary, 'owner'>): Place {
  return { appId: owner.appId ?? 0, service: owner.service, replica: owner.replica }
}

function isSame(a: Place, b: Place): boolean {
  return a.appId === b.appId && a.service === b.service && a.replica === b.replica
}
