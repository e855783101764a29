import { type AccessLine, parseAccessLine } from './access-log.ts'
import { createAccessReader } from './access-reader.ts'
import { addLatency, emptyHistogram, type LatencyHistogram, quantileMs } from './latency-histogram.ts'

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/** Counts since `since`; latencies of the last five to ten minutes. */
export type AccessSnapshot = {
  readonly since: Date
  readonly requests: number
  readonly statuses: Readonly<Record<StatusClass, number>>
  readonly bytesIn: number
  readonly bytesOut: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

/** The counts between two calls of `take`. */
export type AccessTake = {
  readonly requests: number
  readonly errors: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

type Counter = {
  requests: number
  statuses: Record<StatusClass, number>
  bytesIn: number
  bytesOut: number
  recent: LatencyHistogram
  before: LatencyHistogram
  /** Since the last call of `take`. */
  taken: { requests: number; errors: number; latencies: LatencyHistogram }
}

const HALF_WINDOW_MS = 5 * 60_000

/** Counts the requests of each app from the lines of HAProxy's log, and of those of edges on other servers. */
export function createAccessCounts(deps: { socketPath: string; now: () => Date }) {
  const { socketPath, now } = deps
  const since = now()
  const counters = new Map<string, Counter>()

  function count(access: AccessLine): void {
    const counter = counters.get(access.appKey) ?? newCounter()
    counters.set(access.appKey, counter)
    counter.requests += 1
    counter.statuses[statusClass(access.status)] += 1
    counter.bytesIn += access.bytesIn
    counter.bytesOut += access.bytesOut
    counter.taken.requests += 1
    if (access.status >= 500) counter.taken.errors += 1
    if (access.latencyMs === undefined) return
    addLatency(counter.recent, access.latencyMs)
    addLatency(counter.taken.latencies, access.latencyMs)
  }

  const turn = setInterval(() => {
    for (const counter of counters.values()) {
      counter.before = counter.recent
      counter.recent = emptyHistogram()
    }
  }, HALF_WINDOW_MS)
  turn.unref()
  const read = (line: string): void => {
    const access = parseAccessLine(line)
    if (access !== undefined) count(access)
  }
  const reader = createAccessReader({ socketPath, onLine: read })

  return {
    /** Of another edge. */
    read,
    snapshot(appKey: string): AccessSnapshot {
      const { requests, statuses, bytesIn, bytesOut, recent, before } = counters.get(appKey) ?? newCounter()
      const quantile = (share: number) => quantileMs([recent, before], share) ?? null
      return { since, requests, statuses: { ...statuses }, bytesIn, bytesOut, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
    },
    /** What each app served since the last call. There must be only one caller, and it says which apps there are: the others are forgotten. */
    take: (isKnown: (appKey: string) => boolean): Map<string, AccessTake> => {
      const served = new Map<string, AccessTake>()
      for (const appKey of counters.keys()) if (!isKnown(appKey)) counters.delete(appKey)
      for (const [appKey, counter] of counters) {
        const { requests, errors, latencies } = counter.taken
        if (requests === 0) continue
        const quantile = (share: number) => quantileMs([latencies], share) ?? null
        served.set(appKey, { requests, errors, p50Ms: quantile(0.5), p99Ms: quantile(0.99) })
        counter.taken = nothingTaken()
      }
      return served
    },
    reopen: reader.reopen,
    close(): void {
      clearInterval(turn)
      reader.close()
    },
  }
}

function newCounter(): Counter {
  const statuses = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  return { requests: 0, statuses, bytesIn: 0, bytesOut: 0, recent: emptyHistogram(), before: emptyHistogram(), taken: nothingTaken() }
}

function nothingTaken(): Counter['taken'] {
  return { requests: 0, errors: 0, latencies: emptyHistogram() }
}

function statusClass(status: number): StatusClass {
  if (status < 200) return '1xx'
  if (status < 300) return '2xx'
  if (status < 400) return '3xx'
  return status < 500 ? '4xx' : '5xx'
}
