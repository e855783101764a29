import { networkInterfaces } from 'node:os'
import type { MetricsHistory, Server, ServerInvitation, Servers } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Db } from '../../store/database.ts'
import { type Change, createChanges } from './changes.ts'
import { createChecking } from './checking.ts'
import { createCluster } from './cluster.ts'
import { reachableAddresses, siteUrl } from './join-command.ts'
import { createJoining } from './joining.ts'
import { createListing } from './listing.ts'
import { createOutages } from './outages.ts'
import { createSwitching } from './switching.ts'
import { translated } from './translated.ts'

type Deps = {
  db: Db
  engine: Pick<
    Engine,
    | 'swarm'
    | 'containers'
    | 'placement'
    | 'agentImage'
    | 'probeServer'
    | 'removeChecks'
    | 'removeAgents'
    | 'removePlaced'
    | 'imageServer'
    | 'loadOfServer'
  >
  instance: string
  metrics: () => MetricsHistory
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
  /** Of the control plane: apps on other servers must not reach it. */
  port: () => number
  /** Whether visitors can come in over this server, and over another one whose edge is on. */
  ownEdge: () => Server['edge']
  edgeOf: (serverId: string) => Server['edge']
  /** Called after Swarm was switched on or off. */
  onSwitched: () => void
  /** The same for the edge of another server. */
  onEdges: () => void
}
type Wanted = { consent?: boolean; address?: string }

/** The machines that containers run on. While there is only one, this reads and changes nothing (docs/decisions/0018). */
export function createServers(deps: Deps) {
  const cluster = createCluster(deps)
  const images = imagesOf(deps.engine)
  const ports = () => [deps.port(), ...images.ports()]
  const controlPlane = () => ({ addresses: reachableAddresses(networkInterfaces()), ports: ports() })
  const checking = createChecking({ ...deps, ...images, cluster, controlPlane })
  const outages = createOutages(deps)
  const listing = createListing({ ...deps, imagePorts: images.ports, checkedOf: checking.checkedOf, outages: outages.list })
  const joining = createJoining({ ...deps, ...images, cluster, controlPlane, onLook: checking.see })
  const switching = createSwitching({ ...deps, cluster })
  const changes = createChanges({ ...deps, cluster, onRemoved: checking.forget })

  async function one(serverId: string): Promise<Server> {
    const server = (await listing.list()).servers.find(({ id }) => id === serverId)
    if (!server) throw new AppError('server_not_found')
    return server
  }

  async function add(caller: Caller, wanted: Wanted, site: string): Promise<ServerInvitation> {
    const url = siteUrl(site) // before anything is changed
    await switching.turnOn(caller, wanted)
    return await joining.invite(caller, url)
  }

  async function turnOff(caller: Caller): Promise<Servers> {
    await switching.turnOff(caller)
    joining.reset()
    return await listing.list()
  }

  const listAfter = async (before: Promise<void>): Promise<Servers> => before.then(listing.list)
  const oneAfter = async (before: Promise<void>, serverId: string): Promise<Server> => before.then(async () => await one(serverId))
  return {
    watch: async () => {
      await joining.watch()
      await outages.look()
    },
    checkWaiting: checking.checkWaiting,
    list: async () => await translated(listing.list),
    add: async (caller: Caller, wanted: Wanted, site: string) =>
      await translated(async () => await add(caller, wanted, site), 'swarm_not_possible'),
    stopAdding: async (caller: Caller) => await translated(async () => await listAfter(joining.stopAdding(caller)), 'swarm_not_possible'),
    turnOff: async (caller: Caller) => await translated(async () => await turnOff(caller), 'swarm_not_possible'),
    check: async (id: string, signal: AbortSignal) => await translated(async () => await oneAfter(checking.check(id, signal), id)),
    update: async (caller: Caller, change: Change) =>
      await translated(async () => await oneAfter(changes.update(caller, change), change.serverId)),
    setManagers: async (caller: Caller, ids: readonly string[]) =>
      await translated(async () => await listAfter(changes.setManagers(caller, ids))),
    remove: async (caller: Caller, serverId: string) => await translated(async () => await changes.remove(caller, serverId)),
    image: async (token: string, signal: AbortSignal) => await translated(async () => await joining.image(token, signal)),
  }
}

/** What other servers pull from this Berth. Nothing with a registry of the operator, or where no app can run on other servers. */
function imagesOf({ imageServer }: Pick<Engine, 'imageServer'>) {
  const used = () => (imageServer?.isUsed() === true ? imageServer : undefined)
  return {
    trust: async () => await used()?.trust(),
    lendImage: async () => await used()?.lend(),
    ports: (): number[] => [used()?.port ?? []].flat(),
  }
}

export type ServersPart = ReturnType<typeof createServers>
