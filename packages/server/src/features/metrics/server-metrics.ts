import type { ServerMetrics } from '@berth/contract'
import { type Counters, lookAtMachine, readCounters } from './machine.ts'

type Deps = {
  dataDir: string
  engineCounts: () => Promise<ServerMetrics['docker']>
  /** The last sample of the history: if nobody has watched for days, the first sample must not be the mean of all that time. */
  lastSampled: () => Counters
}

/** The kernel counts CPU time in hundredths of a second, so a shorter interval is meaningless. */
const SHORTEST_MS = 500

/** One sample per second, shared by all watchers; nothing is read while nobody watches. */
export function createServerMetrics(deps: Deps) {
  let seen: Counters | undefined
  let latest: { at: number; metrics: Promise<ServerMetrics> } | undefined

  function begin(now: Counters): Counters {
    const known = [deps.lastSampled(), ...(seen ? [seen] : [])].toSorted((a, b) => b.at - a.at)
    return known.find(({ at }) => now.at - at >= SHORTEST_MS) ?? now
  }

  async function look(): Promise<ServerMetrics> {
    const now = await readCounters()
    const before = begin(now)
    seen = now
    return { ...(await lookAtMachine(deps.dataDir, before, now)), docker: await deps.engineCounts() }
  }

  async function read(): Promise<ServerMetrics> {
    const now = performance.now()
    if (!latest || now - latest.at > 900) latest = { at: now, metrics: look() }
    return await latest.metrics
  }

  return { read }
}

export type ServerMetricsReader = ReturnType<typeof createServerMetrics>
