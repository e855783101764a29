import type { Availability } from '@berth/contract'
import { listAppsWithData } from '../../domain/app-data.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Db } from '../../store/database.ts'
import type { Cluster } from './cluster.ts'
import { makeManagers } from './managers.ts'
import { whyNotAvailable, whyNotDrained, whyNotDrainedAsEdge, whyNotEdge, whyNotManagers, whyNotRemoved } from './rules.ts'
import { createServerAudit } from './server-audit.ts'
import { sortedAppNames } from './store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'swarm'>
  cluster: Cluster
  now: () => Date
  onRemoved: (serverId: string) => void
  onEdges: () => void
  instance: string
}
export type Change = { serverId: string; availability?: Availability; edge?: boolean; labels?: readonly string[] }

/** What people change of servers that have joined. */
export function createChanges(deps: Deps) {
  const { cluster } = deps
  const { swarm } = deps.engine
  const audit = createServerAudit(deps)
  const oneAtATime = createSemaphore(1)

  async function update(caller: Caller, { serverId, availability, edge, labels }: Change): Promise<void> {
    const { node, nodes, hereId } = await cluster.find(serverId)
    const isDraining = availability === 'drain' && node.availability !== 'drain'
    const whyNot =
      (availability && whyNotAvailable(node, hereId, availability)) ??
      (edge === undefined ? undefined : whyNotEdge(node, hereId, edge)) ??
      (isDraining && edge !== false ? whyNotDrainedAsEdge(node) : undefined) ??
      (isDraining ? whyNotDrained(node, nodes, await appsOn(node.id)) : undefined)
    if (whyNot !== undefined) throw new AppError('server_refused', { message: whyNot })
    const wanted = { ...(availability && { availability }), ...(labels && { labels: [...new Set(labels)] }) }
    const before = { availability: node.availability, edge: node.isEdge, labels: node.labels }
    const after = { serverId, name: node.name, ...wanted, ...(edge !== undefined && { edge }) }
    await audit(caller, 'server.update', { before, after })
    await swarm.changeNode(node.id, { ...wanted, ...(edge !== undefined && { isEdge: edge }) })
    if (edge !== undefined) deps.onEdges()
  }

  async function appsOn(nodeId: string): Promise<string[]> {
    const tasks = (await swarm.tasks()).filter((task) => task.nodeId === nodeId)
    const appIds = tasks.flatMap(({ owner }) => owner.appId ?? [])
    return await sortedAppNames(deps.db, appIds)
  }

  async function setManagersNow(caller: Caller, given: readonly string[]): Promise<void> {
    const wanted = [...new Set(given)]
    const { nodeId } = await cluster.ours()
    const nodes = await swarm.nodes()
    if (wanted.some((id) => !nodes.some(({ serverId }) => serverId === id))) throw new AppError('server_not_found')
    const whyNot = whyNotManagers(nodes, nodeId, wanted)
    if (whyNot !== undefined) throw fieldError('server_refused', 'serverIds', whyNot)
    const namesOf = (some: readonly SwarmNode[]) => some.map(({ name }) => name).toSorted()
    const [before, after] = [nodes.filter(({ role }) => role === 'manager'), nodes.filter(({ serverId }) => wanted.includes(serverId))]
    await audit(caller, 'server.managers', { before: { managers: namesOf(before) }, after: { managers: namesOf(after) } })
    await makeManagers({ swarm, nodes, wanted })
  }

  async function remove(caller: Caller, serverId: string): Promise<{ serverId: string; command: string }> {
    const { node, hereId } = await cluster.find(serverId)
    const containers = (await swarm.tasks()).filter(({ nodeId }) => nodeId === node.id).length
    const withData = (await listAppsWithData(deps.db, serverId)).map((app) => app.name)
    const whyNot = whyNotRemoved(node, { hereId, containers, withData })
    if (whyNot !== undefined) throw new AppError('server_refused', { message: whyNot })
    await audit(caller, 'server.remove', { before: { serverId, name: node.name, address: node.address } })
    await swarm.removeNode(node.id)
    deps.onRemoved(serverId)
    return { serverId, command: afterRemoval(node, deps.instance) }
  }

  /** One at a time: each starts from the managers that the change before it has made. */
  const setManagers = async (caller: Caller, given: readonly string[]): Promise<void> =>
    await oneAtATime.run(async () => await setManagersNow(caller, given))

  return { update, setManagers, remove }
}

/** The command that a person runs there: the server does not know that it was removed, and its edge still has the keys of certificates. */
function afterRemoval({ isEdge }: SwarmNode, instance: string): string {
  const edge = `berth-${instance}-edge`
  return ['docker swarm leave', ...(isEdge ? [`docker rm -f ${edge}`, `docker volume rm ${edge} ${edge}-run`] : [])].join('; ')
}
