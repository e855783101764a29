import { createSemaphore } from '../../lib/semaphore.ts'
import { EngineError, isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, record, text, texts } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { LABEL, labelsOf, ownedBy, ownerOf, projectNetworkName, projectOverlayName } from '../labels.ts'
import { connect, type Gateway } from './gateway.ts'
import type { ServiceCalls } from './service-calls.ts'

type Deps = { transport: Transport; calls: Pick<ServiceCalls, 'list'>; gateway: Gateway }
type Project = { readonly instance: string; readonly projectId: number }
type Overlay = { readonly id: string; readonly name: string; readonly projectId: number }

const NEW_MS = 30_000

/**
 * The overlay network of each project that has containers on other servers. The containers of the project on this server are connected to
 * it as well, so that apps reach each other by their names wherever they run.
 */
export function createProjectOverlays({ transport, calls, gateway }: Deps) {
  const { list, create, connectOwn, remove } = createOverlayNetworks({ transport })
  const oneAtATime = createSemaphore(1)
  /** When each was asked for last: its first service is created after that. */
  const asked = new Map<number, number>()

  /** The id of a project's overlay network, once this server reaches what is in it. */
  async function ensure(project: Project): Promise<string> {
    return await oneAtATime.run(async () => {
      asked.set(project.projectId, performance.now())
      const isIts = ({ projectId }: Overlay) => projectId === project.projectId
      const found = await list(project.instance)
      const overlay = found.find(isIts) ?? (await create(project)) // the engine lists a new one only after a moment
      const all = [...found.filter((each) => !isIts(each)), overlay]
      await connectOwn(project, overlay)
      await gateway.ensure(project.instance, await inUse(project.instance, all))
      return overlay.id
    })
  }

  async function inUse(instance: string, all: readonly Overlay[]): Promise<Overlay[]> {
    const { services } = await calls.list({ [LABEL.instance]: instance })
    const projects = new Set(services.map(({ owner }) => owner.projectId))
    const isNew = (projectId: number) => performance.now() - (asked.get(projectId) ?? -Infinity) < NEW_MS
    return all.filter(({ projectId }) => projects.has(projectId) || isNew(projectId))
  }

  /** Repairs what a restart of the engine or of the machine took away. */
  async function keep(instance: string): Promise<void> {
    await oneAtATime.run(async () => {
      const all = await list(instance)
      const used = await inUse(instance, all)
      if (used.length === 0) await gateway.remove(instance)
      for (const overlay of all) if (!used.includes(overlay)) await remove(overlay)
      if (used.length === 0) return
      for (const overlay of used) await connectOwn({ instance, projectId: overlay.projectId }, overlay)
      await gateway.ensure(instance, used)
    })
  }

  return { ensure, keep }
}

/** The networks themselves, and which containers of this server are in them. */
function createOverlayNetworks({ transport }: Pick<Deps, 'transport'>) {
  async function list(instance: string): Promise<Overlay[]> {
    const query = { filters: filters({ driver: ['overlay'], label: labelFilter(labelsOf({ instance, kind: 'network' })) }) }
    const found = items(await transport.json({ method: 'GET', path: '/networks', query }))
    return found.flatMap((network) => {
      const { projectId } = ownerOf(texts(field(network, 'Labels')))
      return projectId === null ? [] : [{ id: text(field(network, 'Id')), name: text(field(network, 'Name')), projectId }]
    })
  }

  async function create(project: Project): Promise<Overlay> {
    const name = projectOverlayName(project.instance, project.projectId)
    const Labels = labelsOf({ ...project, kind: 'network' })
    const body = { Name: name, CheckDuplicate: true, Driver: 'overlay', Attachable: true, Labels }
    const created = await transport.json({ method: 'POST', path: '/networks/create', body })
    return { id: text(field(created, 'Id')), name, projectId: project.projectId }
  }

  /** Those of the project on this server that are not in it yet, with the names that they have in its network here. */
  async function connectOwn({ instance, projectId }: Project, overlay: Overlay): Promise<void> {
    const query = { filters: filters({ label: labelFilter(ownedBy({ instance, projectId })) }) }
    const own = projectNetworkName(instance, projectId)
    for (const container of items(await transport.json({ method: 'GET', path: '/containers/json', query }))) {
      const networks = record(field(container, 'NetworkSettings', 'Networks'))
      if (networks[own] === undefined || networks[overlay.name] !== undefined) continue
      const id = text(field(container, 'Id'))
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

  /**
   * With nothing left on other servers, containers of this one leave it: without Swarm they could not be started in it again. The engine
   * refuses while the last tasks end; the next look removes it then.
   */
  async function remove({ id }: Overlay): Promise<void> {
    const path = `/networks/${encodeURIComponent(id)}`
    try {
      const found = await transport.json({ method: 'GET', path })
      for (const container of Object.keys(record(field(found, 'Containers'))))
        await transport.json({ method: 'POST', path: `${path}/disconnect`, body: { Container: container, Force: true } })
      await transport.json({ method: 'DELETE', path })
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause
    }
  }

  return { list, create, connectOwn, remove }
}
