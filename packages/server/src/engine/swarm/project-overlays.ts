import { createSemaphore } from '../../lib/semaphore.ts'
import { isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, record, text, texts } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { LABEL, labelsOf, ownedBy, ownerOf, projectNetworkName, projectOverlayName } from '../labels.ts'
import { connect, disconnect, type Gateway } from './gateway.ts'
import type { ServiceCalls } from './service-calls.ts'

type Deps = {
  transport: Transport
  calls: Pick<ServiceCalls, 'services'>
  gateway: Pick<Gateway, 'join' | 'remove'>
  /** Networks of no project that the gateway has to be in as well. */
  otherNetworks?: (instance: string) => Promise<readonly { id: string; name: string }[]>
  /** Whether the edges of other servers need the network of a project without services. */
  isNeeded?: (projectId: number) => boolean
  now?: () => number
}
type Project = { readonly instance: string; readonly projectId: number }
type Overlay = { readonly id: string; readonly name: string; readonly projectId: number }
type Listed = Overlay & { readonly subnet: string }

/** How long a project without services keeps its network: its first service is created later, perhaps by another control plane. */
const UNUSED_MS = 30_000
const CONTAINER_ID = /^[0-9a-f]{64}$/

/**
 * The overlay network of each project that has containers on other servers. The containers of the project on this server are connected to
 * it as well, so that apps reach each other by their names wherever they run.
 */
export function createProjectOverlays(deps: Deps) {
  const { transport, calls, gateway, otherNetworks = async () => [], isNeeded = () => false, now = () => performance.now() } = deps
  const { list, create, connectOwn, remove } = createOverlayNetworks({ transport })
  const oneAtATime = createSemaphore(1)
  /** Since when each was seen without a service. */
  const unusedSince = new Map<string, number>()

  /** The id of a project's overlay network, once this server reaches what is in it. */
  async function ensure(project: Project): Promise<string> {
    return await oneAtATime.run(async () => {
      const found = await list(project.instance)
      const overlay = found.find(({ projectId }) => projectId === project.projectId) ?? (await create(project))
      unusedSince.delete(overlay.id)
      await connectOwn(project, overlay)
      await gateway.join(project.instance, [overlay])
      return overlay.id
    })
  }

  /** Those that nobody has needed for a while. */
  async function unused(instance: string, all: readonly Overlay[]): Promise<Overlay[]> {
    const services = await calls.services({ [LABEL.instance]: instance })
    const projects = new Set(services.map(({ owner }) => owner.projectId))
    for (const { id, projectId } of all) {
      if (projects.has(projectId) || isNeeded(projectId)) unusedSince.delete(id)
      else if (!unusedSince.has(id)) unusedSince.set(id, now())
    }
    return all.filter(({ id }) => now() - (unusedSince.get(id) ?? now()) > UNUSED_MS)
  }

  /** Repairs what a restart of the engine or of the machine took away, and removes what is not needed any more. */
  async function keep(instance: string): Promise<void> {
    await oneAtATime.run(async () => {
      const all = await list(instance)
      const over = await unused(instance, all)
      const kept = all.filter((overlay) => !over.includes(overlay))
      const reached = [...kept, ...(await otherNetworks(instance))]
      await each([
        ...kept.map((overlay) => async () => await connectOwn({ instance, projectId: overlay.projectId }, overlay)),
        async () => (reached.length === 0 ? await gateway.remove(instance) : await gateway.join(instance, reached)),
        ...over.map((overlay) => async () => await remove(overlay)),
      ])
    })
  }

  /** All of them, before Swarm is switched off: containers of this server would keep what is left of them. */
  async function removeAll(instance: string): Promise<void> {
    await oneAtATime.run(async () => {
      await gateway.remove(instance)
      for (const overlay of await list(instance)) await remove(overlay)
    })
  }

  return { ensure, keep, removeAll }
}

/** The networks themselves, and which containers of this server are in them. */
export function createOverlayNetworks({ transport }: Pick<Deps, 'transport'>) {
  async function list(instance: string): Promise<Listed[]> {
    const query = { filters: filters({ driver: ['overlay'], label: labelFilter(labelsOf({ instance, kind: 'network' })) }) }
    const found = items(await transport.json({ method: 'GET', path: '/networks', query }))
    return found.flatMap((network) => {
      const { projectId } = ownerOf(texts(field(network, 'Labels')))
      const subnet = text(field(items(field(network, 'IPAM', 'Config'))[0], 'Subnet'))
      return projectId === null ? [] : [{ id: text(field(network, 'Id')), name: text(field(network, 'Name')), projectId, subnet }]
    })
  }

  async function create(project: Project): Promise<Overlay> {
    const name = projectOverlayName(project.instance, project.projectId)
    const Labels = labelsOf({ ...project, kind: 'network' })
    const body = { Name: name, CheckDuplicate: true, Driver: 'overlay', Attachable: true, Labels }
    try {
      const created = await transport.json({ method: 'POST', path: '/networks/create', body })
      return { id: text(field(created, 'Id')), name, projectId: project.projectId }
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.includes('already exists'))) throw cause
      const found = await transport.json({ method: 'GET', path: `/networks/${name}` }) // another control plane was first
      return { id: text(field(found, 'Id')), name, projectId: project.projectId }
    }
  }

  /** The containers of this server are disconnected from it first. */
  async function remove({ id }: Overlay): Promise<void> {
    try {
      const found = await transport.json({ method: 'GET', path: `/networks/${id}` })
      const inside = Object.keys(record(field(found, 'Containers'))).filter((key) => CONTAINER_ID.test(key))
      for (const container of inside) await disconnect(transport, { network: id, container })
      await transport.json({ method: 'DELETE', path: `/networks/${id}` })
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  /** Those of the project on this server that are not in it yet, with the names that they have in its network here. */
  async function connectOwn({ instance, projectId }: Project, overlay: Overlay): Promise<void> {
    const query = { filters: filters({ label: labelFilter(ownedBy({ instance, projectId })) }) }
    const own = projectNetworkName(instance, projectId)
    const found = await transport.list({ method: 'GET', path: '/containers/json', query }, (container) => ({
      id: text(field(container, 'Id')),
      networks: Object.keys(record(field(container, 'NetworkSettings', 'Networks'))),
    }))
    for (const { id, networks } of found) {
      if (!networks.includes(own) || networks.includes(overlay.name)) continue
      await connect(transport, { network: overlay.id, container: id, aliases: await namesOf(id, own) })
    }
  }

  async function namesOf(id: string, network: string): Promise<string[]> {
    try {
      const found = await transport.json({ method: 'GET', path: `/containers/${id}/json` })
      const names = items(field(found, 'NetworkSettings', 'Networks', network, 'Aliases')).map(text)
      return names.filter((name) => !id.startsWith(name)) // the engine adds the beginning of its id
    } catch (cause) {
      if (isNotFound(cause)) return []
      throw cause
    }
  }

  return { list, create, connectOwn, remove }
}

/** Does all of them, even if some fail, and then throws the first failure. */
async function each(works: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const work of works) await work().catch((cause: unknown) => failures.push(cause))
  if (failures.length > 0) throw failures[0]
}
