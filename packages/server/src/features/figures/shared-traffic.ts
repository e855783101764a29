import { appKey } from '../../edge/edge.ts'
import type { AccessTake } from '../../edge/traffic/access-counts.ts'
import type { Db } from '../../store/database.ts'
import { appIds, leaveTraffic, takeLeftTraffic } from './store.ts'

type Take = (isKnown: (appKey: string) => boolean) => ReadonlyMap<string, AccessTake>
type Taken = ReadonlyMap<string, AccessTake>
type Deps = {
  db: Db
  /** The name of this node. */
  node: string
  /** What went through the edge of this node since the last call. */
  take: Take
  /** Whether this node takes the samples. */
  isHolder: () => boolean
}

/** Each node counts what goes through its own edge. Those that take no samples leave their counts in the database for the one that does. */
export function createSharedTraffic({ db, node, take, isHolder }: Deps) {
  /** What was taken and could not be passed on yet. */
  let own: Taken = new Map()

  async function leave(): Promise<void> {
    if (isHolder()) return
    const keys = new Set([...(await appIds(db))].map(appKey))
    const taken = takeOwn((key) => keys.has(key))
    if (taken.size === 0) return
    await db.transaction(async (tx) => await leaveTraffic(tx, node, (before) => added([before, taken])))
    own = new Map()
  }

  async function takeAll(isKnown: (appKey: string) => boolean): Promise<Taken> {
    const taken = takeOwn(isKnown)
    const left = await db.transaction(async (tx) => await takeLeftTraffic(tx))
    own = new Map()
    return added([taken, ...left])
  }

  function takeOwn(isKnown: (appKey: string) => boolean): Taken {
    own = new Map([...added([own, take(isKnown)])].filter(([key]) => isKnown(key)))
    return own
  }

  return { leave, takeAll }
}

/** The median of several edges is about the mean of theirs, and the slowest percent at most that of the slowest edge. */
function added(all: readonly Taken[]): Map<string, AccessTake> {
  const sum = new Map<string, AccessTake>()
  for (const [key, taken] of all.flatMap((each) => [...each])) {
    const before = sum.get(key)
    sum.set(key, before ? both(before, taken) : taken)
  }
  return sum
}

function both(a: AccessTake, b: AccessTake): AccessTake {
  const p50Ms = a.p50Ms === null || b.p50Ms === null ? (a.p50Ms ?? b.p50Ms) : meanOf(a, b)
  const p99Ms = a.p99Ms === null || b.p99Ms === null ? (a.p99Ms ?? b.p99Ms) : Math.max(a.p99Ms, b.p99Ms)
  return { requests: a.requests + b.requests, errors: a.errors + b.errors, p50Ms, p99Ms }
}

function meanOf(a: AccessTake, b: AccessTake): number {
  return ((a.p50Ms ?? 0) * a.requests + (b.p50Ms ?? 0) * b.requests) / (a.requests + b.requests)
}
