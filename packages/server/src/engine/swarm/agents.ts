import { retry, steadily } from '../../lib/retry.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Transport } from '../api/transport.ts'
import { type AgentIdentity, RENEW_AFTER_MS } from './agent-identity.ts'
import type { createAgentImage } from './agent-image.ts'
import { type Agent, createAgentObjects, type Secret } from './agent-objects.ts'
import { type AgentPlan, agentFingerprint, agentServiceName } from './agent-spec.ts'
import type { Gateway } from './gateway.ts'
import type { Swarm } from './swarm.ts'

type Deps = {
  transport: Transport
  swarm: Pick<Swarm, 'state' | 'nodes'>
  gateway: Pick<Gateway, 'join' | 'leave'>
  agentImage: Pick<ReturnType<typeof createAgentImage>, 'nameOf'>
  identity: Pick<AgentIdentity, 'forAgent' | 'authority'>
  now: () => Date
  log: { info(fields: object, message: string): void }
}

/** A network is in use for a few seconds after its last task was removed. */
const DETACHED_WITHIN_MS = 15_000
const RETRY_MS = 500

/**
 * The agents: on every other server that has passed its check, a container of ours that tells how much its containers of apps use. Their
 * network has no way out and nobody else in it; this server reaches it through the gateway.
 */
export function createAgents(deps: Deps) {
  const { swarm, gateway, agentImage, identity, now, log } = deps
  const { networks, createNetwork, agents, removeAgent, secrets, removeUnusedSecrets, wasRejected, create } = createAgentObjects(deps)
  const { removeAll } = createAgentRemoval(deps)
  const oneAtATime = createSemaphore(1)
  /** Where a check has run in the image of this Berth, so that the agent can too. */
  const withImage = new Set<string>()

  /** Those that have passed their check; not this one, whose engine can be asked itself. */
  async function wanted(instance: string): Promise<string[]> {
    const state = await swarm.state(instance)
    if (state.is !== 'ours') return []
    return (await swarm.nodes()).filter(({ id, isChecked }) => isChecked && id !== state.nodeId).map(({ id }) => id)
  }

  /** The image that an agent has is on its server for certain. The one of this Berth may not be, after an update that brought another Node.js. */
  async function imageFor({ instance, nodeId }: AgentPlan, agent: Agent | undefined): Promise<string> {
    const newest = agentImage.nameOf(instance)
    if (agent === undefined || agent.image === newest || withImage.has(nodeId)) return newest
    return (await wasRejected(agent.id)) ? newest : agent.image
  }

  async function keepOne(plan: AgentPlan, found: readonly Agent[], keys: readonly Secret[]): Promise<void> {
    const agent = found.find(({ name }) => name === agentServiceName(plan))
    const secret = keys.find(({ id }) => id === agent?.secretId)
    const isFresh = secret !== undefined && now().getTime() - Date.parse(secret.createdAt) < RENEW_AFTER_MS
    const image = await imageFor(plan, agent)
    if (agent?.fingerprint === agentFingerprint(plan) && agent.image === image && isFresh) return
    if (agent !== undefined) await removeAgent(agent.id)
    await create(plan, image, await identity.forAgent(plan.nodeId))
    log.info({ nodeId: plan.nodeId }, 'an agent was started on another server')
  }

  async function keepNow(instance: string): Promise<void> {
    const nodeIds = await wanted(instance)
    if (nodeIds.length === 0) return await removeAll(instance)
    const [known] = await networks(instance)
    const network = known ?? (await createNetwork(instance))
    const { certificate: authority } = await identity.authority()
    const [found, keys] = [await agents(instance), await secrets(instance)]
    const plans = nodeIds.map((nodeId) => ({ instance, nodeId, network: network.id, authority }))
    for (const plan of plans) await keepOne(plan, found, keys)
    const names = new Set(plans.map(agentServiceName))
    for (const { id, name } of found) if (!names.has(name)) await removeAgent(id)
    await removeUnusedSecrets(instance)
    if (known === undefined) await gateway.join(instance, [network]) // from then on it is kept with the networks of projects
  }

  return {
    /** Adds, renews and removes agents, so that they are where they should be. */
    keep: async (instance: string): Promise<void> => await oneAtATime.run(async () => await keepNow(instance)),
    networks,
    sawImage: (nodeId: string): void => void withImage.add(nodeId),
  }
}

/** Needs nothing that belongs to running agents, so that they can be removed where they cannot be started. */
export function createAgentRemoval({ transport, gateway }: { transport: Transport; gateway: Pick<Gateway, 'leave'> }) {
  const { agents, removeAgent, removeUnusedSecrets, networks, removeNetwork } = createAgentObjects({ transport })

  async function removeAll(instance: string): Promise<void> {
    for (const { id } of await agents(instance)) await removeAgent(id)
    await removeUnusedSecrets(instance)
    for (const network of await networks(instance)) {
      await gateway.leave(instance, network)
      const delayMs = steadily(RETRY_MS, DETACHED_WITHIN_MS)
      await retry(async () => await removeNetwork(network.id), { isTransient: () => true, delayMs })
    }
  }

  return { removeAll }
}
