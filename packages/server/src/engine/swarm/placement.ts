import { type AllowedServers, isAllowed, type SwarmNode } from './nodes.ts'
import type { Swarm } from './swarm.ts'

type Deps = {
  swarm: Pick<Swarm, 'nodes'>
  /** Whether there is a Swarm of ours. Must not ask the engine. */
  isSwarm: () => Promise<boolean>
  /** What containers on other servers need, in a sentence if it is missing. */
  whyNot: () => string
}

/** `isOpen`: it takes containers of apps. */
export type PlacedServer = { readonly nodeId: string; readonly name: string; readonly isReady: boolean; readonly isOpen: boolean }

const isOpenNode = (node: SwarmNode): boolean => node.isReady && node.isChecked && node.availability === 'active'

/** Whether Swarm has a server that can take containers of apps. Without a leader it is an engine that cannot be reached. */
export function createPlacement({ swarm, isSwarm, whyNot }: Deps) {
  async function nodes(): Promise<SwarmNode[]> {
    return await swarm.nodes()
  }

  /** Paused ones take no new containers, and those that have not passed their check none at all. */
  async function openNodes(allowed: AllowedServers): Promise<SwarmNode[]> {
    return (await nodes()).filter((node) => isOpenNode(node) && isAllowed(node, allowed))
  }

  async function isOpen(allowed: AllowedServers = {}): Promise<boolean> {
    return whyNot() === '' && (await isSwarm()) && (await openNodes(allowed)).length > 0
  }

  /** Swarm's ids of the servers that answer. */
  async function readyNodes(): Promise<ReadonlySet<string>> {
    return new Set((await nodes()).flatMap(({ id, isReady }) => (isReady ? [id] : [])))
  }

  const names = new Map<string, string>()

  /** The names of servers by Swarm's ids of them. Those that are known are not asked for again. */
  async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.some((id) => !names.has(id))) for (const { id, name } of await nodes()) names.set(id, name)
    return names
  }

  /** One server by our id of it; undefined if it is none of them any more. */
  async function serverOf(serverId: string): Promise<PlacedServer | undefined> {
    const all = await nodes()
    const node = all.find((each) => each.serverId === serverId)
    if (node === undefined) return undefined
    const { id: nodeId, name, isReady } = node
    return { nodeId, name, isReady, isOpen: isOpenNode(node) }
  }

  return { isSwarm, isOpen, namesOf, openNodes, readyNodes, serverOf, whyNot }
}

export type Placement = ReturnType<typeof createPlacement>
