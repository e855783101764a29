import type { EngineAddress } from './api/address.ts'
import { createTransport } from './api/transport.ts'
import { createBaseImages } from './build/base-images.ts'
import { createBuilder } from './build/build.ts'
import { createBuildCache } from './build/cache.ts'
import { createBuildLimits } from './build/limits.ts'
import { createContainerLogs, createLogBatches } from './container-logs.ts'
import { createContainers } from './containers.ts'
import { createDisk } from './disk.ts'
import { createMeasureDisk } from './disk-usage.ts'
import { createDownloads } from './downloads/downloads.ts'
import { createEdgeHost } from './edge-host.ts'
import { createEndTimes, createEngineEvents } from './engine-events.ts'
import { createExec } from './exec.ts'
import { createFacts } from './facts.ts'
import { createImages } from './images.ts'
import { createLentContainers } from './lent-container.ts'
import { createNetworks } from './networks.ts'
import { createPrivatePull } from './private-pull.ts'
import { createRegistryCalls } from './registry.ts'
import { createStackContainers } from './stack-containers.ts'
import { createAgentImage } from './swarm/agent-image.ts'
import { createPlacing, type OtherServers } from './swarm/placing.ts'
import { createProbe } from './swarm/probe.ts'
import { createServices } from './swarm/services.ts'
import { createSwarm } from './swarm/swarm.ts'
import { createVolumeCopies } from './volume-copies.ts'
import { createVolumes } from './volumes.ts'

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void }

type Deps = {
  address: EngineAddress
  log: Log
  now: () => Date
  cgroupRoot?: string
  /** How long a download may be too slow. */
  pullWindowMs?: number
  /** May refuse a call that changes something, just before it is made. */
  beforeChange?: () => Promise<void>
  /** What containers on other servers need. Without it, none are placed there. */
  otherServers?: OtherServers
}

/** The interface to the container engine, in our own terms. Only this folder uses its API. */
export function createEngine(deps: Deps) {
  const { beforeChange } = deps
  const transport = createTransport({ address: deps.address, ...(beforeChange && { beforeChange }) })
  const limits = createBuildLimits({ log: deps.log, ...(deps.cgroupRoot === undefined ? {} : { cgroupRoot: deps.cgroupRoot }) })

  const { facts, ping, counts } = createFacts({ transport })
  const downloads = createDownloads(deps.pullWindowMs)
  const images = createImages({ transport, downloads })
  const build = createBuilder({ transport, images, downloads, limits, cgroupDriver: async () => (await facts()).cgroupDriver })
  const here = createContainers({ transport, now: deps.now })
  const agentImage = createAgentImage({ transport, images })
  const { otherServers } = deps
  const mustPull = () => otherServers?.imageServer !== undefined && otherServers.registry === undefined && otherServers.whyNot() === ''
  const swarm = createSwarm({ transport, mustPull })
  const networks = createNetworks({ transport })
  const { containers, sawAgentImage, ...placing } = createPlacing(
    { transport, images, swarm, networks, here, agentImage, facts, mustPull, now: deps.now, log: deps.log },
    otherServers,
  )
  const lentContainers = createLentContainers({ transport })
  const volumes = createVolumes({ transport, lentContainers, removeContainer: here.remove })
  const { copy: copyVolume } = createVolumeCopies({
    transport,
    remove: here.remove,
    volumes,
    placed: placing.placedVolumes,
    imageOf: agentImage.ensure,
  })
  const logs = createContainerLogs({ transport })
  const measure = createMeasureDisk({ transport })
  const services = createServices({ transport, log: deps.log })

  return {
    ping,
    facts,
    counts,
    build,
    images,
    registry: createRegistryCalls({ transport }),
    pullPrivately: createPrivatePull({ images }),
    baseImages: createBaseImages({ images }),
    containers,
    stackContainers: createStackContainers({ transport, containers: here }),
    logs,
    logBatches: createLogBatches({ transport }),
    edgeHost: (edge: { instance: string; node?: string | undefined; ensureProgram: () => Promise<void> }) =>
      createEdgeHost({ transport, containers: here, images, build, logs, log: deps.log, node: undefined, ...edge }),
    exec: createExec({ transport }),
    networks,
    lentContainers,
    volumes,
    copyVolume,
    events: createEngineEvents({ transport }),
    endTimes: createEndTimes({ transport }),
    buildCache: createBuildCache({ transport, measure }),
    disk: createDisk({ measure }),
    swarm,
    agentImage,
    ...placing,
    ...createProbe({ services, log: deps.log, onRan: sawAgentImage }),
  }
}

export type Engine = ReturnType<typeof createEngine>
