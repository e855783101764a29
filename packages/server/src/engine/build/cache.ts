import { count, field, filters, items, text } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import type { MeasureDisk } from '../disk-usage.ts'

/** A record of the build cache. The engine does not say which build created it. */
export type CacheRecord = {
  readonly id: string
  readonly sizeBytes: number
  readonly isInUse: boolean
  readonly createdAt: string
  readonly lastUsedAt: string
}

export function createBuildCache({ transport, measure }: { transport: Transport; measure: MeasureDisk }) {
  async function list(signal?: AbortSignal): Promise<CacheRecord[]> {
    return items(field(await measure('build-cache', signal), 'BuildCache')).map(recordOf)
  }

  /** Removes one record, unless something uses it or depends on it. */
  async function remove(id: string, signal?: AbortSignal): Promise<{ freedBytes: number }> {
    const query = { all: true, filters: filters({ id: [id] }) }
    const answer = await transport.json({ method: 'POST', path: '/build/prune', query, signal, timeoutMs: 300_000 })
    return { freedBytes: count(field(answer, 'SpaceReclaimed')) }
  }

  return { list, remove }
}

function recordOf(value: unknown): CacheRecord {
  return {
    id: text(field(value, 'ID')),
    sizeBytes: Math.max(0, count(field(value, 'Size'))), // -1 if it has not been measured
    isInUse: field(value, 'InUse') === true,
    createdAt: text(field(value, 'CreatedAt')),
    lastUsedAt: text(field(value, 'LastUsedAt')),
  }
}
