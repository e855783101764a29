import { poll } from '../../lib/retry.ts'
import { ServerAway, VolumeLost } from '../api/errors.ts'
import type { ContainerSpec } from '../container-spec.ts'
import { LABEL } from '../labels.ts'
import type { PlacedVolume, PlacedVolumes } from './placed-volumes.ts'
import type { Placement } from './placement.ts'
import type { DataServer, Service } from './service-state.ts'

type Deps = { placement: Pick<Placement, 'serverOf'>; volumes: Pick<PlacedVolumes, 'look'> }
/** What a container needs before it may start. */
export type DataNeeds = {
  readonly instance: string
  readonly serverId: string
  readonly volumes: readonly { readonly name: string; readonly path: string; readonly isAlone: boolean }[]
}

const LOOK_MS = 500
/** How long a container that was told to stop may take. */
const ENDED_WITHIN_MS = 60_000

/**
 * Whether a container with data on another server may start there: the server answers, its volumes are there, since the engine would silently make
 * new and empty ones, and no other container uses them. Only the engine there knows that for certain: a server that was cut off
 * runs what it ran before.
 */
export function createDataGate({ placement, volumes }: Deps) {
  /** Undefined for what has no volumes. */
  async function dataServerOf({ serverId, volumes: own }: Pick<Service, 'serverId' | 'volumes'>): Promise<DataServer | undefined> {
    if (own.length === 0) return undefined
    const server = await placement.serverOf(serverId)
    const name = server?.name ?? serverId
    const why = (what: string) => `the server ${name}, which has its data, ${what}`
    if (server === undefined) return { name, isLost: true, why: why('is not one of the servers any more') }
    if (!server.isReady) return { name, isLost: true, why: why('does not answer') }
    return { name, isLost: false, why: server.isOpen ? '' : why('takes no containers now') }
  }

  async function pass(needs: DataNeeds, signal?: AbortSignal): Promise<void> {
    const server = await dataServerOf(needs)
    if (server === undefined) return
    if (server.why !== '') throw new ServerAway(`It waits: ${server.why}. It is not started elsewhere. See Servers.`)
    for (const { name, path, isAlone } of needs.volumes) {
      const found = await poll<PlacedVolume | undefined>(async () => await volumes.look(needs, name, signal), {
        until: (seen) => seen === undefined || !isAlone || !seen.isUsed,
        everyMs: LOOK_MS,
        limitMs: ENDED_WITHIN_MS,
        ...(signal && { signal }),
      })
      if (found === undefined) throw new VolumeLost(lostWords({ volume: name, path }, server.name))
      if (isAlone && found.isUsed)
        throw new ServerAway(`Another container on the server ${server.name} still uses its volume for ${path} (${name}). See Servers.`)
    }
  }

  return { dataServerOf, pass }
}

export type DataGate = ReturnType<typeof createDataGate>

export function lostWords({ volume, path }: { volume: string; path: string }, server: string): string {
  return `Its volume for ${path} (${volume}) is not on the server ${server} any more. Bring it back there, with its labels. To start with an empty one: deploy the app again.`
}

export function needsOf({ labels, servers, volumes, isAlone = false }: ContainerSpec): DataNeeds {
  const own = volumes.map(({ volume, path }) => ({ name: volume, path, isAlone }))
  return { instance: labels[LABEL.instance] ?? '', serverId: servers?.serverId ?? '', volumes: own }
}

export function needsOfService({ owner, serverId, volumes }: Service): DataNeeds {
  return { instance: owner.instance ?? '', serverId, volumes }
}
