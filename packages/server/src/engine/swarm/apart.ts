import type { Owner } from '../labels.ts'
import { isAllowed, type SwarmNode } from './nodes.ts'
import type { Seen } from './service-calls.ts'
import { currentTask, type Service, tasksOf } from './service-state.ts'

/** A replica on the server of another one, although a server that could run it has none of them. */
export type Crowded = {
  readonly id: string
  readonly name: string
  readonly owner: Owner
  /** All of its release, also itself. */
  readonly replicas: readonly string[]
  /** Swarm's ids of the nodes that have any of them. */
  readonly taken: readonly string[]
}
type Placed = { readonly service: Service; readonly nodeId: string }

/** Those that do the same, each release for itself. What has data stays where that is. */
function groupsOf({ services, tasks }: Seen): (readonly Placed[])[] {
  const movable = services.filter(({ owner, volumes }) => owner.appId !== null && volumes.length === 0)
  const groups = Map.groupBy(movable, ({ owner }) => `${owner.appId} ${owner.deploymentId} ${owner.service ?? ''}`)
  return [...groups.values()].flatMap((group) => {
    const placed = group.flatMap((service): Placed[] => {
      const task = currentTask(tasksOf(service, tasks))
      const runs = service.replicas > 0 && task?.state === 'running' && task.desired === 'running'
      return runs ? [{ service, nodeId: task.nodeId }] : []
    })
    return placed.length === group.length ? [placed] : [] // otherwise one of them is just being started or moved
  })
}

/**
 * The replicas that have to avoid other nodes than before: those of all others. When one is started, it avoids those that are there. But if
 * several servers are lost and come back, Swarm could start the earlier ones all on the first that is back.
 */
export function nodesToAvoid(seen: Seen): { id: string; avoided: readonly string[] }[] {
  return groupsOf(seen).flatMap((group) =>
    group.flatMap(({ service: { id, avoided: before }, nodeId }) => {
      const avoided = [...new Set(group.map((each) => each.nodeId))].filter((other) => other !== nodeId).toSorted()
      return avoided.join() === before.toSorted().join() ? [] : [{ id, avoided }]
    }),
  )
}

/**
 * Of what visitors come to, one of each release. After a server was lost, all replicas of an app can be on the one that was left, and Swarm
 * leaves them there when the other is back.
 */
export function crowdedReplicas(seen: Seen, openNodes: readonly SwarmNode[]): Crowded[] {
  return groupsOf(seen).flatMap((group) => (group[0]?.service.owner.service === null ? (crowdedIn(group, openNodes) ?? []) : []))
}

function crowdedIn(group: readonly Placed[], openNodes: readonly SwarmNode[]): Crowded | undefined {
  const on = Map.groupBy(group, ({ nodeId }) => nodeId)
  const free = openNodes.filter(({ id }) => !on.has(id))
  const canMove = ({ service: { serverId, label } }: Placed) =>
    free.some((node) => isAllowed(node, { ...(serverId !== '' && { serverId }), ...(label !== '' && { label }) }))
  const mostFirst = [...on.values()].filter(({ length }) => length > 1).toSorted((a, b) => b.length - a.length)
  const found = mostFirst.flatMap((shared) => shared.toSorted(newestFirst)).find(canMove)?.service
  return (
    found && { id: found.id, name: found.name, owner: found.owner, replicas: group.map(({ service }) => service.id), taken: [...on.keys()] }
  )
}

const newestFirst = (a: Placed, b: Placed): number => (a.service.createdAt < b.service.createdAt ? 1 : -1)
