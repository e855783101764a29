import type { AppGlance, Figures, FiguresRange } from '@berth/contract'
import { type Caller, isStaff } from '../../domain/caller.ts'
import { appKey } from '../../edge/edge.ts'
import type { AccessTake } from '../../edge/traffic/access-counts.ts'
import type { Db } from '../../store/database.ts'
import type { Measure } from './measure.ts'
import { emptyHour, figuresOf, type Hour, hasSample, putSample, type Sample } from './samples.ts'
import { appIds, readAllHours, readHours, visibleAppIds, writeHours } from './store.ts'

type Deps = {
  db: Db
  measure: Measure
  /** The traffic since the last call, by app; that of apps which do not exist is forgotten. */
  takeTraffic: (isKnown: (appKey: string) => boolean) => ReadonlyMap<string, AccessTake> | Promise<ReadonlyMap<string, AccessTake>>
  now: () => Date
  /** Of several nodes one takes the samples, and the others read what it has saved. */
  isShared?: boolean
}

export const SAMPLE_EVERY_MS = 60_000
const WRITE_EVERY_MS = 5 * 60_000
/** A shorter interval is too short for a rate; a longer one no longer represents one minute. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 150_000
const GLANCE = { minutes: 60, every: 2 }
const RANGES = {
  '1h': { minutes: 60, every: 1 },
  '6h': { minutes: 360, every: 1 },
  '24h': { minutes: 1440, every: 5 },
} as const satisfies Record<FiguresRange, { minutes: number; every: number }>

const minuteOf = (at: number): number => Math.floor(at / 60_000)
const hourOf = (minute: number): number => Math.floor(minute / 60)

/**
 * Metrics of each app for 24 hours. The last two hours are in memory, and are saved every five minutes and on shutdown: one row per hour
 * and app, in a ring of 25.
 */
export function createFigures({ db, measure, takeTraffic, now, isShared = false }: Deps) {
  let hours: Map<number, Map<number, Hour>> | undefined
  let lastAt = now().getTime()
  let lastWrite = lastAt
  const unwritten = new Map<string, { appId: number; hour: number }>()

  const put = createPut(unwritten)
  const isOurs = (): boolean => !isShared || now().getTime() - lastAt < LONGEST_MS

  async function known(): Promise<Map<number, Map<number, Hour>>> {
    if (hours && isOurs()) return hours
    const found = new Map<number, Map<number, Hour>>()
    for (const { appId, hour, samples } of await readAllHours(db, hourOf(minuteOf(now().getTime())) - 1))
      found.set(appId, (found.get(appId) ?? new Map<number, Hour>()).set(hour, samples))
    if (!isOurs()) return found
    hours ??= found
    return hours
  }

  /** There is traffic even without an engine. */
  async function sample(isEngineReachable: boolean): Promise<void> {
    const at = now().getTime()
    const elapsed = at - lastAt
    if (elapsed < SHORTEST_MS) return
    if (!isOurs()) unwritten.clear()
    if (isShared && unwritten.size === 0) hours = undefined // another node may have saved more since
    const all = await known()
    hours = all
    const used = isEngineReachable ? await measure(new Date(at)) : new Map<number, { cpu: number; memory: number }>()
    const to = minuteOf(at)
    const from = elapsed < LONGEST_MS ? Math.min(to, minuteOf(lastAt) + 1) : to
    lastAt = at
    const ids = await appIds(db)
    const keys = new Set([...ids].map(appKey))
    const served = await takeTraffic((key) => keys.has(key))
    for (const appId of all.keys()) if (!ids.has(appId)) all.delete(appId)
    for (const appId of ids) {
      const [usage, traffic] = [used.get(appId), served.get(appKey(appId))]
      if (!usage && !traffic) continue
      const own = all.get(appId) ?? new Map<number, Hour>()
      all.set(appId, own)
      put(own, appId, { sample: sampleOf(usage, traffic, elapsed / 1000), from, to })
    }
    if (isShared || at - lastWrite >= WRITE_EVERY_MS) await write()
  }

  async function write(): Promise<void> {
    const ids = await appIds(db)
    const rows = [...unwritten.values()].flatMap(({ appId, hour }) => {
      const samples = hours?.get(appId)?.get(hour)
      return samples && ids.has(appId) ? [{ appId, hour, samples }] : []
    })
    if (rows.length > 0) await db.transaction(async (tx) => await writeHours(tx, rows))
    unwritten.clear()
    lastWrite = now().getTime()
  }

  /** Of several nodes each sample is saved at once: what is left belongs to a time when another one may have saved more. */
  const stop = async () => (isShared ? undefined : await write())

  return { sample, ...createReads({ db, now, known }), stop }
}

/** A minute that was skipped because a run was late gets the metrics of the run that covers it. */
function createPut(unwritten: Map<string, { appId: number; hour: number }>) {
  return (own: Map<number, Hour>, appId: number, { sample, from, to }: { sample: Sample; from: number; to: number }): void => {
    for (let minute = from; minute <= to; minute += 1) {
      const hour = hourOf(minute)
      const samples = own.get(hour) ?? emptyHour()
      own.set(hour, samples)
      if (minute < to && hasSample(samples, minute)) continue // of another node
      putSample(samples, minute, sample)
      unwritten.set(`${appId} ${hour}`, { appId, hour })
    }
    for (const hour of own.keys()) if (hour < hourOf(to) - 1 && !unwritten.has(`${appId} ${hour}`)) own.delete(hour)
  }
}

type Reads = Pick<Deps, 'db' | 'now'> & { known: () => Promise<Map<number, Map<number, Hour>>> }

function createReads({ db, now, known }: Reads) {
  async function read(appId: number, range: FiguresRange = '1h'): Promise<Figures> {
    const { minutes, every } = RANGES[range]
    const to = Math.floor(minuteOf(now().getTime()) / every) * every + every
    const from = to - minutes
    const stored = await readHours(db, appId, hourOf(from))
    const merged = new Map([...stored, ...((await known()).get(appId) ?? [])])
    return { from: new Date(from * 60_000).toISOString(), everySeconds: every * 60, ...figuresOf(merged, { from, minutes, every }) }
  }

  /** The CPU usage of the last hour, for every app that the caller can see. */
  async function glance(caller: Caller): Promise<AppGlance[]> {
    const all = await known()
    const to = minuteOf(now().getTime()) + 1
    const ids = await visibleAppIds(db, isStaff(caller) ? undefined : caller.id)
    return [...all]
      .filter(([appId]) => ids.has(appId))
      .map(([appId, own]) => ({ appId, cpu: figuresOf(own, { from: to - GLANCE.minutes, ...GLANCE }).cpu }))
      .filter(({ cpu }) => cpu.some((value) => value !== null))
  }

  return { read, glance }
}

function sampleOf(usage: { cpu: number; memory: number } | undefined, traffic: AccessTake | undefined, seconds: number): Sample {
  return {
    cpu: usage?.cpu ?? Number.NaN,
    memory: usage?.memory ?? Number.NaN,
    requests: (traffic?.requests ?? 0) / seconds,
    errors: (traffic?.errors ?? 0) / seconds,
    p50: traffic?.p50Ms ?? Number.NaN,
    p99: traffic?.p99Ms ?? Number.NaN,
  }
}

export type FiguresKeeper = ReturnType<typeof createFigures>
