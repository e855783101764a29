import { readFile } from 'node:fs/promises'
import { type ListeningPort, listeningPortsIn } from '../lib/proc-net.ts'
import { readBeginning } from '../lib/read-beginning.ts'
import { isNotFound } from './api/errors.ts'
import { field, filters, labelFilter, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { type ContainerDetails, type ContainerSummary, detailsOf, summaryOf } from './container-state.ts'
import { type ContainerCounters, type ContainerUsage, countersOf, usageOf } from './container-usage.ts'
import { LENT_LABEL } from './labels.ts'

/** The kernel lists listening sockets before all others. */
const MOST_OF_A_TABLE = 256 * 1024

/** Queries about containers. A container that no longer exists is null, not an error. */
export function createContainerReads({ transport, now }: { transport: Transport; now: () => Date }) {
  async function inspect(id: string, signal?: AbortSignal): Promise<ContainerDetails | null> {
    try {
      return detailsOf(await transport.json({ method: 'GET', path: `${pathOf(id)}/json`, signal }), now())
    } catch (cause) {
      if (isNotFound(cause)) return null
      throw cause
    }
  }

  /** Stopped ones too; not those that are only lent to fill a volume. */
  async function list(wanted: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<ContainerSummary[]> {
    const query = { all: true, filters: filters({ label: labelFilter(wanted.labels) }) }
    const read = (item: unknown) => (text(field(item, 'Labels', LENT_LABEL)) === '' ? [summaryOf(item)] : [])
    return (await transport.list({ method: 'GET', path: '/containers/json', query, signal: wanted.signal }, read)).flat()
  }

  /** The ports the container listens on, or null if its process cannot be inspected (a remote engine, a stopped container). */
  async function listeningPorts(id: string, signal?: AbortSignal): Promise<ListeningPort[] | null> {
    const found = await inspect(id, signal)
    const pid = found?.pid ?? null
    if (found === null || pid === null || !(await isProcessOf(pid, found.id))) return null
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map((table) => readBeginning(`/proc/${pid}/net/${table}`, MOST_OF_A_TABLE).catch(() => null)),
    )
    const read = tables.flatMap((table) => (table === null ? [] : [table]))
    return read.length === 0 ? null : listeningPortsIn(read)
  }

  return { inspect, list, listeningPorts, ...createContainerStats(transport) }
}

/** The usage of a container: as a rate, which takes two readings and about two seconds, or as totals, at once. */
function createContainerStats(transport: Transport) {
  async function read(id: string, query: Readonly<Record<string, boolean>>, signal: AbortSignal | undefined): Promise<unknown> {
    try {
      return await transport.json({ method: 'GET', path: `${pathOf(id)}/stats`, query, signal })
    } catch (cause) {
      if (isNotFound(cause)) return null
      throw cause
    }
  }

  async function stats(id: string, signal?: AbortSignal): Promise<ContainerUsage | null> {
    const found = await read(id, { stream: false }, signal)
    return found === null ? null : usageOf(found)
  }

  async function counters(id: string, signal?: AbortSignal): Promise<ContainerCounters | null> {
    const found = await read(id, { stream: false, 'one-shot': true }, signal)
    return found === null ? null : countersOf(found)
  }

  return { stats, counters }
}

export function pathOf(id: string): string {
  return `/containers/${encodeURIComponent(id)}`
}

// If Berth itself runs in a container, the engine's pids are not valid here; the cgroup shows which container a process belongs to.
async function isProcessOf(pid: number, containerId: string): Promise<boolean> {
  const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  return cgroup.includes(containerId)
}
