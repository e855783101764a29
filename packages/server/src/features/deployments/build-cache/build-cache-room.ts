import type { CacheRecord } from '../../../engine/build/cache.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { BuildTimes } from './build-times.ts'

type Deps = { engine: Pick<Engine, 'buildCache'>; buildTimes: Pick<BuildTimes, 'isOurs' | 'forgetBefore'> }

/** The build cache of our own builds: measures and shrinks it. */
export function createBuildCacheRoom({ engine, buildTimes }: Deps) {
  async function read(): Promise<{ all: CacheRecord[]; ours: CacheRecord[] }> {
    const all = await engine.buildCache.list()
    const isOurs = await buildTimes.isOurs()
    return { all, ours: all.filter((record) => isOurs(record.createdAt)) }
  }

  async function measure(): Promise<{ bytes: number; freeable: number }> {
    const { ours } = await read()
    return { bytes: sum(ours), freeable: sum(ours.filter(({ isInUse }) => !isInUse)) }
  }

  /** Removes the least recently used records first. Returns the freed bytes. */
  async function shrinkTo(keptBytes: number): Promise<number> {
    const { all, ours } = await read()
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

  return { measure, shrinkTo }
}

export type BuildCacheRoom = ReturnType<typeof createBuildCacheRoom>

function sum(records: readonly CacheRecord[]): number {
  return records.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
}

/** Of two records last used by the same build, the later one depends on the earlier one. */
function byLastUse(a: CacheRecord, b: CacheRecord): number {
  return Date.parse(a.lastUsedAt) - Date.parse(b.lastUsedAt) || Date.parse(b.createdAt) - Date.parse(a.createdAt)
}
