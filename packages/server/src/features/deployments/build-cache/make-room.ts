import { statfs } from 'node:fs/promises'
import type { Logger } from '../../../lib/logger.ts'
import type { BuildCacheRoom } from './build-cache-room.ts'

type Deps = {
  buildCache: Pick<BuildCacheRoom, 'shrinkTo'>
  dataDir: string
  floorBytes: number
  log: Pick<Logger, 'info'>
  keptBytes?: number
}

/** Well above the floor, so that space is freed before a build is refused. */
const TIGHT_FACTOR = 4
const KEPT_CACHE_BYTES = 1024 ** 3

/**
 * When the disk is nearly full, removes our own build cache, least recently used first, down to a minimum. Nothing else is removed:
 * images, containers, volumes and the cache of other people's builds belong to somebody.
 */
export function createMakeRoom({ buildCache, dataDir, floorBytes, keptBytes = KEPT_CACHE_BYTES, log }: Deps) {
  return async function makeRoom(): Promise<void> {
    const disk = await statfs(dataDir)
    const freeBytes = disk.bavail * disk.bsize
    if (freeBytes > floorBytes * TIGHT_FACTOR) return
    log.info({ freeBytes, freedBytes: await buildCache.shrinkTo(keptBytes) }, 'the disk is nearly full, so build cache was removed')
  }
}
