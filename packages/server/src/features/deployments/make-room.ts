import { statfs } from 'node:fs/promises'
import type { CacheRecord } from '../../engine/build/cache.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BuildTimes } from './build-times.ts'

type Deps = {
  engine: Pick<Engine, 'buildCache'>
  buildTimes: Pick<BuildTimes, 'isOurs' | 'forgetBefore'>
  dataDir: string
  floorBytes: number
  log: Pick<Logger, 'info'>
  keptBytes?: number
}

/** Well above the floor, so that there is room again before a build is refused. */
const TIGHT_FACTOR = 4
const KEPT_CACHE_BYTES = 1024 ** 3

/**
 * When the disk gets tight, build cache of ours goes, what was used longest ago first, down to what is kept. Nothing else: images,
 * containers, volumes and the cache of other people's builds belong to somebody.
 */
export function createMakeRoom(deps: Deps) {
  const { engine, buildTimes, floorBytes, keptBytes = KEPT_CACHE_BYTES, log } = deps

  async function removeCache(): Promise<number> {
    const all = await engine.buildCache.list()
    const isOurs = await buildTimes.isOurs()
    const ours = all.filter((record) => isOurs(record.createdAt))
    let [left, freed] = [sum(ours), 0]
    for (const { id, isInUse } of ours.toSorted(byLastUse)) {
      if (left <= keptBytes) break
      if (isInUse) continue
      const { freedBytes } = await engine.buildCache.remove(id)
      freed += freedBytes
      left -= freedBytes
    }
    const oldest = Math.min(...all.map(({ createdAt }) => Date.parse(createdAt)))
    if (Number.isFinite(oldest)) await buildTimes.forgetBefore(new Date(oldest))
    return freed
  }

  return async function makeRoom(): Promise<void> {
    const disk = await statfs(deps.dataDir)
    const freeBytes = disk.bavail * disk.bsize
    if (freeBytes > floorBytes * TIGHT_FACTOR) return
    log.info({ freeBytes, freedBytes: await removeCache() }, 'the disk is nearly full, so build cache was removed')
  }
}

function sum(records: readonly CacheRecord[]): number {
  return records.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
}

/** Of two that were used last by the same build, the later one stands on the earlier one. */
function byLastUse(a: CacheRecord, b: CacheRecord): number {
  return Date.parse(a.lastUsedAt) - Date.parse(b.lastUsedAt) || Date.parse(b.createdAt) - Date.parse(a.createdAt)
}
