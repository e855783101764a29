import type { Transport } from '../api/transport.ts'
import type { Containers } from '../containers.ts'
import type { Images } from '../images.ts'
import { LABEL } from '../labels.ts'
import type { createNetworks } from '../networks.ts'
import { createPlacedContainers } from '../placed-containers.ts'
import type { createAgentImage } from './agent-image.ts'
import { createGateway, type Way } from './gateway.ts'
import { createPlacement } from './placement.ts'
import { createProjectOverlays } from './project-overlays.ts'
import { createPublishedImages, type SharedRegistry } from './published-images.ts'
import { createServiceCalls } from './service-calls.ts'
import { createServiceContainers } from './service-containers.ts'
import type { Swarm } from './swarm.ts'

/** What containers on other servers need besides a Swarm: a registry that all servers reach, and a way from this one to their networks. */
export type OtherServers = {
  readonly registry: SharedRegistry
  /** Whether Berth has switched Swarm on. Must not ask the engine. */
  readonly isSwarm: () => Promise<boolean>
  /** Why this server cannot reach the networks of others, in a sentence; empty if it can. */
  readonly whyNot: () => string
  readonly openWay: (way: Way) => Promise<void>
}
type Parts = {
  transport: Transport
  images: Images
  swarm: Swarm
  networks: ReturnType<typeof createNetworks>
  here: Containers
  agentImage: ReturnType<typeof createAgentImage>
  now: () => Date
}

const NO_REGISTRY =
  'Apps run on this server only. To run them on the others too, set BERTH_REGISTRY to a registry that all servers reach, and start Berth again.'

/** Containers on this server, and on others of its Swarm. */
export function createPlacing({ transport, images, swarm, networks, here, agentImage, now }: Parts, others: OtherServers | undefined) {
  const calls = createServiceCalls({ transport })
  const whyNot = () => others?.whyNot() ?? NO_REGISTRY
  const placement = createPlacement({ swarm, whyNot, isSwarm: async () => (await others?.isSwarm()) ?? false })
  const openWay = async (way: Way) => await others?.openWay(way)
  const gateway = createGateway({ transport, networks, imageOf: agentImage.ensure, openWay })
  const overlays = createProjectOverlays({ transport, calls, gateway })
  const services = createServiceContainers({
    calls,
    openNodes: placement.openNodes,
    readyNodes: placement.readyNodes,
    namesOf: placement.namesOf,
    published: createPublishedImages({ transport, images, registry: others?.registry }),
    credentials: () => others?.registry.credentials,
    networkOf: async (labels) =>
      await overlays.ensure({ instance: labels[LABEL.instance] ?? '', projectId: Number(labels[LABEL.project] ?? '0') }),
    now,
  })

  /** Repairs what containers on other servers need here. Does nothing without a Swarm of ours. */
  async function keepPlaced(instance: string): Promise<void> {
    if (whyNot() !== '' || !(await placement.isSwarm())) return
    await overlays.keep(instance)
    await services.freeWaiting({ [LABEL.instance]: instance })
  }

  /** Before Swarm is switched off. */
  const removePlaced = async (instance: string): Promise<void> => (others === undefined ? undefined : await overlays.removeAll(instance))

  return { containers: createPlacedContainers({ here, services, placement }), placement, keepPlaced, removePlaced }
}
