import { createSemaphore } from '../../lib/semaphore.ts'
import { isNotFound } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import { agentAddresses } from './agent-addresses.ts'
import { type AgentIdentity, RENEW_AFTER_MS } from './agent-identity.ts'
import type { createAgentImage } from './agent-image.ts'
import { type Agent, createAgentObjects } from './agent-objects.ts'
import { type AgentPlan, agentServiceName } from './agent-spec.ts'
import type { EdgeAgentCalls } from './edge-agent-calls.ts'
import { edgeAgentFingerprint, edgeAgentIdentity, edgeAgentName } from './edge-agent-spec.ts'
import type { SwarmNode } from './nodes.ts'
import type { ServiceCalls } from './service-calls.ts'
import type { Swarm } from './swarm.ts'

type Deps = {
  transport: Transport
  swarm: Pick<Swarm, 'state' | 'nodes'>
  services: Pick<ServiceCalls, 'list'>
  agentImage: Pick<ReturnType<typeof createAgentImage>, 'nameOf'>
  identity: Pick<AgentIdentity, 'forAgent' | 'authority'>
  calls: Pick<EdgeAgentCalls, 'call'>
  now: () => Date
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Another server whose edge is on. */
export type EdgeServer = Pick<SwarmNode, 'serverId' | 'name' | 'address' | 'cores' | 'isReady'> & {
  readonly nodeId: string
  /** Of its agent, in the network of agents; undefined while that does not run. */
  readonly agentAddress: string | undefined
}

/**
 * The agents of edges: one on each other server whose edge is on. A server whose edge was switched off first loses the edge and its files,
 * because they have keys in them, and then its agent.
 */
export function createEdgeAgents(deps: Deps) {
  const { swarm, services, agentImage, identity, log } = deps
  const own = createAgentObjects({ transport: deps.transport, kind: 'edge-agent' })
  const others = createAgentObjects({ transport: deps.transport })
  const { keepOne, removeOne } = createEdgeAgentChanges(deps, own)
  const oneAtATime = createSemaphore(1)

  async function keepNow(instance: string, onServers: (servers: readonly EdgeServer[]) => Promise<void>): Promise<void> {
    const state = await swarm.state(instance)
    if (state.is !== 'ours') return await onServers([])
    const nodes = await swarm.nodes()
    const edges = nodes.filter(({ id, isEdge }) => isEdge && id !== state.nodeId)
    const found = await own.agents(instance)
    if (edges.length === 0 && found.length === 0) return await onServers([])
    const running = await agentAddresses(services, { instance, kind: 'edge-agent' })
    await onServers(edges.map((node) => ({ ...node, nodeId: node.id, agentAddress: running.get(node.id) })))
    const { certificate: authority } = await identity.authority()
    const measuring = await others.agents(instance)
    const [network] = await others.networks(instance) // that of agents, which is there before there is a server that passed its check
    for (const { id: nodeId } of network ? edges : []) {
      const plan = { instance, nodeId, network: network?.id ?? '', authority }
      const beside = measuring.find(({ name }) => name === agentServiceName(plan))
      await keepOne(plan, found, beside?.image ?? agentImage.nameOf(instance))
    }
    const names = new Set(edges.map(({ id: nodeId }) => edgeAgentName({ instance, nodeId })))
    for (const agent of found.filter(({ name }) => !names.has(name)))
      await removeOne(agent, nodes, running).catch((err: unknown) =>
        log.warn({ err }, 'an edge on another server could not be removed yet'),
      )
    await own.removeUnusedSecrets(instance)
  }

  /** The network that the ports of edges are published from. */
  async function network(instance: string): Promise<string> {
    const [known] = await own.networks(instance)
    return (known ?? (await own.createNetwork(instance))).id
  }

  /** All that is left of them in the Swarm, before it is switched off. */
  async function removeAll(instance: string): Promise<void> {
    for (const { id } of await own.agents(instance)) await own.removeAgent(id)
    await own.removeUnusedSecrets(instance)
    for (const { id } of await own.networks(instance)) {
      await own.removeNetwork(id).catch((cause: unknown) => {
        if (!isNotFound(cause)) log.warn({ err: cause }, 'the network of edges could not be removed')
      })
    }
  }

  return {
    /** Tells first which servers they are for, so that nobody starts an edge again that is removed after that. */
    keep: async (instance: string, onServers: (servers: readonly EdgeServer[]) => Promise<void>): Promise<void> =>
      await oneAtATime.run(async () => await keepNow(instance, onServers)),
    network,
    removeAll,
  }
}

type Objects = ReturnType<typeof createAgentObjects>

function createEdgeAgentChanges({ identity, calls, now, log }: Deps, own: Objects) {
  async function keepOne(plan: AgentPlan, found: readonly Agent[], image: string): Promise<void> {
    const agent = found.find(({ name }) => name === edgeAgentName(plan))
    const secret = (await own.secrets(plan.instance)).find(({ id }) => id === agent?.secretId)
    const isFresh = secret !== undefined && now().getTime() - Date.parse(secret.createdAt) < RENEW_AFTER_MS
    if (agent?.fingerprint === edgeAgentFingerprint(plan) && agent.image === image && isFresh) return
    if (agent !== undefined) await own.removeAgent(agent.id)
    await own.create(plan, image, await identity.forAgent(edgeAgentIdentity(plan.nodeId)))
    log.info({ nodeId: plan.nodeId }, 'an agent for an edge was started on another server')
  }

  /** One of a server that does not answer stays until it does: it is what removes the keys there. */
  async function removeOne(agent: Agent, nodes: readonly SwarmNode[], running: ReadonlyMap<string, string>): Promise<void> {
    const node = nodes.find(({ id }) => agent.name.endsWith(`-${id}`))
    if (node !== undefined) {
      const address = running.get(node.id)
      if (address === undefined) return
      await calls.call({ nodeId: node.id, address }, 'remove')
      await calls.call({ nodeId: node.id, address }, 'wipe')
    }
    await own.removeAgent(agent.id)
    log.info({ nodeId: node?.id }, 'an edge on another server was removed')
  }

  return { keepOne, removeOne }
}
