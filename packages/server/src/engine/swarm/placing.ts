import type { Authority } from '../../lib/x509.ts'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { Containers } from '../containers.ts'
import type { EngineFacts } from '../facts.ts'
import { createImageServer, type ImageServer, type ImageServerSettings } from '../image-server/image-server.ts'
import type { Images } from '../images.ts'
import { LABEL } from '../labels.ts'
import type { createNetworks } from '../networks.ts'
import { createPlacedContainers } from '../placed-containers.ts'
import { createAgentArchives } from './agent-archives.ts'
import { createAgentCalls, type OwnerOf } from './agent-calls.ts'
import { createAgentIdentity } from './agent-identity.ts'
import type { createAgentImage } from './agent-image.ts'
import { createAgentUsage } from './agent-usage.ts'
import { createAgentRemoval, createAgents } from './agents.ts'
import { type Crowded, crowdedReplicas } from './apart.ts'
import { createDataGate } from './data-gate.ts'
import { createOwnEdges } from './edges.ts'
import { createGateway, type Gateway, type Way } from './gateway.ts'
import { createPlacedVolumes } from './placed-volumes.ts'
import { createPlacement } from './placement.ts'
import { createProjectOverlays } from './project-overlays.ts'
import { createPublishedImages, type SharedRegistry } from './published-images.ts'
import { createServiceCalls, type ServiceCalls } from './service-calls.ts'
import { createServiceContainers } from './service-containers.ts'
import { createServiceFiles } from './service-files.ts'
import type { MustPull, Swarm } from './swarm.ts'

/** What containers on other servers need besides a Swarm: a place to pull their images from, and a way from this one to their networks. */
export type OtherServers = {
  /** The operator's own. Without it the servers pull from this Berth. */
  readonly registry?: SharedRegistry | undefined
  readonly imageServer?: Omit<ImageServerSettings, 'isUsed'> | undefined
  /** The authority of their certificates, and who owns a project: people take turns. Without it there are no agents. */
  readonly agents?: { readonly authority: () => Promise<Authority>; readonly ownerOf: OwnerOf } | undefined
  /** Whether Berth has switched Swarm on. Must not ask the engine. */
  readonly isSwarm: () => Promise<boolean>
  /** Why this server cannot reach the networks of others, in a sentence; empty if it can. */
  readonly whyNot: () => string
  readonly openWay: (way: Way) => Promise<void>
}
type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void }
type Parts = {
  transport: Transport
  images: Images
  swarm: Swarm
  networks: ReturnType<typeof createNetworks>
  here: Containers
  agentImage: ReturnType<typeof createAgentImage>
  facts: () => Promise<EngineFacts>
  mustPull: MustPull
  now: () => Date
  log: Log
}

const BACK_WITHIN_MS = 10_000
const NONE = 'Apps run on this server only.'

/** Containers on this server, and on others of its Swarm. */
export function createPlacing(parts: Parts, others: OtherServers | undefined) {
  const { transport, images, swarm, networks, here, agentImage, mustPull, now } = parts
  const calls = createServiceCalls({ transport })
  const isSwarm = async () => (await others?.isSwarm()) ?? false
  const imageServer = createOwnImages(parts, { ...others, isSwarm, calls })
  const whyNot = () => (others === undefined ? NONE : others.whyNot() || (imageServer?.problem() ?? ''))
  const placement = createPlacement({ swarm, whyNot, isSwarm })
  const openWay = async (way: Way) => await others?.openWay(way)
  const gateway = createGateway({ transport, networks, imageOf: agentImage.ensure, openWay })
  const agents = createOwnAgents(parts, { settings: others?.agents, gateway, calls })
  const isNeeded = (projectId: number) => edges?.isNeeded(projectId) ?? false
  const overlays = createProjectOverlays({ transport, calls, gateway, isNeeded, ...(agents && { otherNetworks: agents.networks }) })
  const pulled = imagesFor({ transport, images }, others?.registry, imageServer)
  const isReached = async () => others?.whyNot() === '' && (await isSwarm())
  const edges =
    agents && createOwnEdges(parts, { identity: agents.identity, services: calls, ensure: overlays.ensure, isReached, ...pulled })
  const { files, volumes, ofData } = createDataParts(parts, { calls, placement, agents })
  const services = createServiceContainers({
    calls,
    ...ofData,
    openNodes: placement.openNodes,
    readyNodes: placement.readyNodes,
    namesOf: placement.namesOf,
    ...pulled,
    mustPull,
    networkOf: async (labels) =>
      await overlays.ensure({ instance: labels[LABEL.instance] ?? '', projectId: Number(labels[LABEL.project] ?? '0') }),
    ranOutOfMemory: async (...asked) => (await agents?.usage.ranOutOfMemory(...asked)) ?? false,
    now,
  })

  /** Repairs what containers on other servers need here. Does nothing without a Swarm of ours. */
  async function keepPlaced(instance: string): Promise<void> {
    if (whyNot() !== '' || !(await placement.isSwarm())) return
    await overlays.keep(instance)
    await files.removeUnused(instance)
  }

  /** Keeps the agents on the other servers. Does nothing without a Swarm of ours. */
  async function keepAgents(instance: string): Promise<void> {
    if (whyNot() === '' && (await placement.isSwarm())) await agents?.keep(instance)
  }

  /** Before Swarm is switched off. */
  const removePlaced = async (instance: string): Promise<void> => (others === undefined ? undefined : await overlays.removeAll(instance))

  const removeAgents = async (instance: string): Promise<void> => {
    if (others === undefined) return
    await edges?.removeAll(instance)
    await createAgentRemoval({ transport, gateway }).removeAll(instance)
  }

  return {
    containers: createPlacedContainers({ here, services, usage: agents?.usage, placement }),
    placement,
    placedVolumes: volumes,
    imageServer,
    keepPlaced,
    ...createApart({ calls, placement, services, now }),
    removePlaced,
    keepAgents,
    removeAgents,
    edgesElsewhere: edges,
    /** Of another server; null without its agent. */
    loadOfServer: async (server: { instance: string; nodeId: string }) => (await agents?.usage.load(server)) ?? null,
    /** A container of ours has run there in the image of agents. */
    sawAgentImage: (nodeId: string): void => agents?.sawImage(nodeId),
  }
}

type OfApart = {
  calls: ServiceCalls
  placement: ReturnType<typeof createPlacement>
  services: ReturnType<typeof createServiceContainers>
  now: () => Date
}

/** On which servers the replicas of an app are. Nothing without a Swarm of ours. */
function createApart({ calls, placement, services, now }: OfApart) {
  const areAllBack = createAreAllBack(now)

  /** Replicas avoid the servers of each other, and those that wait for nothing else may share one. Asked every few seconds. */
  async function keepApart(instance: string): Promise<void> {
    if (placement.whyNot() !== '' || !(await placement.isSwarm())) return
    const mayFree = async () => areAllBack((await placement.openNodes({})).map(({ id }) => id))
    await services.keepApart({ [LABEL.instance]: instance }, mayFree)
  }

  /** Replicas that should be on another server. */
  async function crowded(instance: string): Promise<Crowded[]> {
    if (!(await placement.isOpen())) return []
    return crowdedReplicas(await calls.list({ [LABEL.instance]: instance }), await placement.openNodes({}))
  }

  return { keepApart, apart: { crowded, moveAway: services.moveAway } }
}

/** Servers that were lost together come back seconds apart. What waits for them is not started before, or all of it would run on the first one. */
function createAreAllBack(now: () => Date) {
  let known: ReadonlySet<string> = new Set()
  let changedAt = now().getTime()

  return (openNodes: readonly string[]): boolean => {
    const at = now().getTime()
    if (openNodes.some((id) => !known.has(id))) changedAt = at
    known = new Set(openNodes)
    return openNodes.length > 0 && at - changedAt >= BACK_WITHIN_MS
  }
}

type OfData = { calls: ServiceCalls; placement: ReturnType<typeof createPlacement>; agents: ReturnType<typeof createOwnAgents> }

/** What containers with files or volumes need on other servers. */
function createDataParts({ transport, now }: Parts, { calls, placement, agents }: OfData) {
  const usedSecrets = async (instance: string) =>
    new Set((await calls.services({ [LABEL.instance]: instance })).flatMap(({ secrets }) => secrets))
  const files = createServiceFiles({ transport, usedSecrets, now })
  const volumes = createPlacedVolumes({ placement, agents: agents && { ...agents, addressOf: agents.usage.addressOf } })
  const gate = createDataGate({ placement, volumes })
  return { files, volumes, ofData: { ensureFiles: files.ensure, dataServerOf: gate.dataServerOf, passDataGate: gate.pass } }
}

type OfAgents = { settings: OtherServers['agents']; gateway: Gateway; calls: ServiceCalls }

function createOwnAgents({ transport, swarm, agentImage, now, log }: Parts, { settings, gateway, calls }: OfAgents) {
  if (settings === undefined) return undefined
  const { authority, ownerOf } = settings
  const identity = createAgentIdentity({ authority, now })
  const agentCalls = createAgentCalls({ identity, ownerOf, now })
  const usage = createAgentUsage({ calls, agents: agentCalls, now })
  return {
    identity,
    ...createAgents({ transport, swarm, gateway, agentImage, identity, now, log }),
    usage,
    send: agentCalls.send,
    archives: createAgentArchives({ identity }),
  }
}

/** Undefined with a registry of the operator. */
function createOwnImages(parts: Parts, others: Partial<OtherServers> & { isSwarm: () => Promise<boolean>; calls: ServiceCalls }) {
  const { registry, imageServer, isSwarm, calls } = others
  if (registry !== undefined || imageServer === undefined) return undefined
  const usedImages = async (instance: string) => (await calls.services({ [LABEL.instance]: instance })).map(({ image }) => image)
  return createImageServer({ ...parts, isSwarm, usedImages }, { ...imageServer, isUsed: parts.mustPull })
}

/** Where the servers pull the images of services from. */
function imagesFor(
  { transport, images }: Pick<Parts, 'transport' | 'images'>,
  registry: SharedRegistry | undefined,
  imageServer: ImageServer | undefined,
) {
  if (registry !== undefined)
    return { published: createPublishedImages({ transport, images, registry }), credentials: async () => registry.credentials }
  const none = async () => {
    throw new EngineError(500, NONE)
  }
  return { published: imageServer?.publish ?? none, credentials: async () => await imageServer?.credentials() }
}
