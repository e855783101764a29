import { statfs } from 'node:fs/promises'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../lib/logger.ts'

type Deps = { engine: Pick<Engine, 'pruneBuildCache'>; dataDir: string; floorBytes: number; log: Pick<Logger, 'info'> }

/** Well above the floor, so that there is room again before a build is refused. */
const TIGHT_FACTOR = 4
const KEPT_CACHE_BYTES = 1024 ** 3

/** When the disk gets tight, the oldest build cache goes. Nothing else: images, containers and volumes belong to somebody. */
export function createMakeRoom({ engine, dataDir, floorBytes, log }: Deps) {
  return async function makeRoom(): Promise<void> {
    const disk = await statfs(dataDir)
    const freeBytes = disk.bavail * disk.bsize
    if (freeBytes > floorBytes * TIGHT_FACTOR) return
    const { freedBytes } = await engine.pruneBuildCache({ keepBytes: KEPT_CACHE_BYTES })
    log.info({ freeBytes, freedBytes }, 'the disk is nearly full, so build cache was removed')
  }
}
