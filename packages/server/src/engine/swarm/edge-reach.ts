import { field, filters, labelFilter, record, text, texts } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { ownedBy, ownerOf, projectOverlayName } from '../labels.ts'
import { isInSubnet, isOverlayAddress } from '../subnets.ts'

type Project = { readonly instance: string; readonly projectId: number }
type Deps = {
  transport: Transport
  /** The overlay networks of projects. */
  list: (instance: string) => Promise<readonly { id: string; subnet: string }[]>
  /** With the containers of this server that belong to the project. */
  ensure: (project: Project) => Promise<unknown>
}
type Here = { projectId: number; addresses: readonly string[]; overlayAddress: string | undefined }

/** How edges on other servers reach containers: the networks that they have to be in, and other addresses of those on this server. */
export type Reach = { readonly networks: readonly string[]; readonly addressOf: ReadonlyMap<string, string> }

/** Containers that Swarm has placed are reached at the address they have. Those on this server are reached in the overlay of their project. */
export function createEdgeReach({ transport, list, ensure }: Deps) {
  let needed: ReadonlySet<number> = new Set()

  async function containersHere(instance: string): Promise<Here[]> {
    const query = { filters: filters({ label: labelFilter(ownedBy({ instance })) }) }
    const found = await transport.list({ method: 'GET', path: '/containers/json', query }, (container) => {
      const { projectId } = ownerOf(texts(field(container, 'Labels')))
      const networks = Object.entries(record(field(container, 'NetworkSettings', 'Networks')))
      const addresses = networks.map(([, network]) => text(field(network, 'IPAddress')))
      const overlay = networks.find(([name]) => projectId !== null && name === projectOverlayName(instance, projectId))
      return { projectId, addresses, overlayAddress: text(field(overlay?.[1], 'IPAddress')) || undefined }
    })
    return found.flatMap(({ projectId, ...rest }) => (projectId === null ? [] : [{ projectId, ...rest }]))
  }

  async function reach(instance: string, addresses: readonly string[]): Promise<Reach> {
    const own = new Set(addresses.filter((address) => !isOverlayAddress(address)))
    const look = async () =>
      own.size === 0 ? [] : (await containersHere(instance)).filter((each) => each.addresses.some((address) => own.has(address)))
    let here = await look()
    needed = new Set(here.map(({ projectId }) => projectId))
    const withoutOverlay = new Set(here.flatMap(({ projectId, overlayAddress }) => (overlayAddress === undefined ? [projectId] : [])))
    for (const projectId of withoutOverlay) await ensure({ instance, projectId })
    if (withoutOverlay.size > 0) here = await look()
    const known = here.flatMap((each) => each.addresses.map((address) => [address, each.overlayAddress] as const))
    const addressOf = new Map(known.flatMap(([address, other]) => (other === undefined ? [] : [[address, other] as const])))
    // only the networks that are still needed: the edge leaves the others, so that they can be removed
    const reached = [...addresses.filter(isOverlayAddress), ...addressOf.values()]
    const networks = (await list(instance)).filter(({ subnet }) => reached.some((address) => isInSubnet(address, subnet)))
    return { networks: networks.map(({ id }) => id), addressOf }
  }

  return { reach, isNeeded: (projectId: number): boolean => needed.has(projectId), forget: (): void => void (needed = new Set()) }
}
