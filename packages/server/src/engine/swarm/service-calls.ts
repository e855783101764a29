import { coalesceByKey } from '../../lib/coalesce.ts'
import { unlessAborted } from '../../lib/unless-aborted.ts'
import { isNotFound } from '../api/errors.ts'
import { count, field, filters, labelFilter } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { changedService, type Service, serviceOf, type Task, taskOf } from './service-state.ts'
import { answered, inSequence } from './swarm.ts'

/** Without a leader, a manager does not answer at all. */
const ANSWER_MS = 3000
const CHANGE_MS = 30_000
type Change = Parameters<typeof changedService>[1]
type Labels = Readonly<Record<string, string>>
export type Seen = { readonly services: readonly Service[]; readonly tasks: readonly Task[] }

/** Services and their tasks at a manager. One that has no leader is an engine that cannot be reached: what waits for that is tried again. */
export function createServiceCalls({ transport }: { transport: Transport }) {
  const get = async (path: string, query: Record<string, string> = {}, signal?: AbortSignal) =>
    await answered(transport.json({ method: 'GET', path, query, timeoutMs: ANSWER_MS, signal }))

  async function getList<Item>(
    path: string,
    read: (item: unknown) => Item,
    { query = {}, signal }: { query?: Record<string, string>; signal?: AbortSignal | undefined },
  ): Promise<Item[]> {
    return await answered(transport.list({ method: 'GET', path, query, timeoutMs: ANSWER_MS, signal }, read))
  }

  async function inspect(id: string, signal?: AbortSignal): Promise<{ service: Service; tasks: readonly Task[] } | null> {
    try {
      const service = serviceOf(await get(`/services/${encodeURIComponent(id)}`, {}, signal))
      const tasks = await getList('/tasks', taskOf, { query: { filters: filters({ service: [id] }) }, signal })
      return { service, tasks }
    } catch (cause) {
      if (isNotFound(cause)) return null
      throw cause
    }
  }

  async function create(body: Record<string, unknown>, headers: Record<string, string>, signal?: AbortSignal): Promise<unknown> {
    return await answered(transport.json({ method: 'POST', path: '/services/create', body, headers, signal, timeoutMs: CHANGE_MS }))
  }

  async function storedSpec(id: string, signal?: AbortSignal): Promise<unknown> {
    return field(await get(`/services/${id}`, {}, signal), 'Spec')
  }

  /** With the credentials for the registry that it was created with. */
  async function change(id: string, wanted: Change, signal?: AbortSignal): Promise<void> {
    await inSequence(async () => {
      const found = await get(`/services/${id}`, {}, signal)
      const query = { version: count(field(found, 'Version', 'Index')), registryAuthFrom: 'spec' }
      const body = changedService(field(found, 'Spec'), wanted)
      await answered(transport.json({ method: 'POST', path: `/services/${id}/update`, query, body, signal, timeoutMs: CHANGE_MS }))
    })
  }

  async function remove(id: string, signal?: AbortSignal): Promise<void> {
    try {
      await answered(transport.json({ method: 'DELETE', path: `/services/${id}`, signal, timeoutMs: CHANGE_MS }))
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  return { ...createLists(getList), inspect, create, storedSpec, change, remove }
}

type GetList = <Item>(path: string, read: (item: unknown) => Item, options: { query: Record<string, string> }) => Promise<Item[]>

function createLists(getList: GetList) {
  const servicesWith = coalesceByKey(async (wanted: string) => await getList('/services', serviceOf, { query: { filters: wanted } }))
  /** A task is found by the labels of its service. */
  const allWith = coalesceByKey(async (wanted: string): Promise<Seen> => {
    const services = await servicesWith(wanted)
    const tasks = services.length === 0 ? [] : await getList('/tasks', taskOf, { query: { filters: wanted } })
    return { services, tasks }
  })

  /** Lists may be long and are asked for often: those who ask for the same one at the same time share what is read from then on. */
  async function list(labels: Labels, signal?: AbortSignal): Promise<Seen> {
    return await unlessAborted(allWith(filterOf(labels)), signal)
  }

  async function services(labels: Labels): Promise<readonly Service[]> {
    return await servicesWith(filterOf(labels))
  }

  return { list, services }
}

function filterOf(labels: Labels): string {
  return filters({ label: labelFilter(labels) })
}

export type ServiceCalls = ReturnType<typeof createServiceCalls>
