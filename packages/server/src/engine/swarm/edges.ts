import type { Transport } from '../api/transport.ts'
import type { Images } from '../images.ts'
import { authHeader, type RegistryCredentials } from '../registry.ts'
import type { AgentIdentity } from './agent-identity.ts'
import type { createAgentImage } from './agent-image.ts'
import { createEdgeAgentCalls, type EdgeCall } from './edge-agent-calls.ts'
import { createEdgeAgents, type EdgeServer } from './edge-agents.ts'
import { createEdgeReach } from './edge-reach.ts'
import { createOverlayNetworks } from './project-overlays.ts'
import type { ServiceCalls } from './service-calls.ts'
import type { Swarm } from './swarm.ts'

type Parts = {
  transport: Transport
  images: Pick<Images, 'tag'>
  swarm: Swarm
  agentImage: ReturnType<typeof createAgentImage>
  now: () => Date
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}
type Given = {
  identity: AgentIdentity
  services: Pick<ServiceCalls, 'list'>
  ensure: (project: { instance: string; projectId: number }) => Promise<string>
  /** Whether there is a Swarm of ours, and this server reaches the networks of the others. */
  isReached: () => Promise<boolean>
  published: (image: string) => Promise<string>
  credentials: () => Promise<RegistryCredentials | undefined>
}

/** What the edges of other servers need of the engines: their agents, their image, and the networks of what they route to. */
export function createOwnEdges(parts: Parts, { identity, services, ensure, isReached, published, credentials }: Given) {
  const calls = createEdgeAgentCalls({ identity })
  const { keep, network, removeAll } = createEdgeAgents({ ...parts, services, identity, calls })
  const { list } = createOverlayNetworks(parts)
  const { reach, isNeeded, forget } = createEdgeReach({ transport: parts.transport, list, ensure })

  return {
    /** Keeps the agents of edges on other servers, and tells which there are; none without a Swarm of ours. */
    keep: async (instance: string, onServers: (servers: readonly EdgeServer[]) => Promise<void>): Promise<void> => {
      const tell = async (servers: readonly EdgeServer[]) => {
        if (servers.length === 0) forget()
        await onServers(servers)
      }
      await ((await isReached()) ? keep(instance, tell) : tell([]))
    },
    ask: async (nodeId: string, address: string, call: EdgeCall, given?: Record<string, unknown>) =>
      await calls.call({ nodeId, address }, call, given),
    /** The name under which other servers pull the image of the edge, and what they need. It is named like those of releases, which alone are given out. */
    image: async (instance: string, local: string): Promise<{ image: string; auth: string }> => {
      const name = `berth/edge-${instance}:release`
      await parts.images.tag(local, name)
      return { image: await published(name), auth: authHeader(await credentials())['x-registry-auth'] ?? '' }
    },
    network,
    reach,
    isNeeded,
    removeAll,
  }
}
