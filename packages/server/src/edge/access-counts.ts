import { connect, type Socket } from 'node:net'
import { type AccessLine, parseAccessLine } from './access-log.ts'
import { ACCESS_RING } from './haproxy-config.ts'
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

type Counter = {
  requests: number
  statuses: Record<StatusClass, number>
  bytesIn: number
  bytesOut: number
  recent: LatencyHistogram
  before: LatencyHistogram
}

const HALF_WINDOW_MS = 5 * 60_000
const RECONNECT_MS = 2_000
const MAX_LINE = 4_096
/** A reader that is always there is woken for every line, and so is HAProxy: a third of what a request costs. So it reads in bursts. */
const BURST_MS = 20
const REST_MS = 500
/** A burst that brought as much is followed by another one at once. */
const MUCH = 256 * 1024

/**
 * Counts each app's requests from HAProxy's in-memory log, read over the runtime socket: many lines a read, no open port,
 * and a reader that is slow or away never holds up a request. The log holds the lines of well over the rest between two reads.
 */
export function createAccessCounts(deps: { socketPath: string; now: () => Date }) {
  const { socketPath, now } = deps
  const since = now()
  const counters = new Map<string, Counter>()
  let socket: Socket | undefined
  let isClosed = false
  let reconnect: NodeJS.Timeout | undefined

  function open(): void {
    let rest = ''
    const opened = connect(socketPath)
    opened.setEncoding('latin1') // lines are plain ASCII, and a read that was cut anywhere stays whole
    let received = 0
    let burst: NodeJS.Timeout | undefined
    const endBurst = () => {
      burst = undefined
      if (received < MUCH) {
        opened.pause()
        setTimeout(() => opened.resume(), REST_MS).unref()
      }
      received = 0
    }
    opened.on('connect', () => opened.write(`show events ${ACCESS_RING} -w -n\n`))
    opened.on('data', (chunk) => {
      received += chunk.length
      burst ??= setTimeout(endBurst, BURST_MS).unref()
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) rest = ''
      for (const line of lines) {
        const access = parseAccessLine(line)
        if (access !== undefined) count(access)
      }
    })
    opened.on('error', () => undefined) // the edge is away; 'close' follows and plans the next try
    opened.on('close', () => {
      if (isClosed) return
      reconnect = setTimeout(open, RECONNECT_MS)
      reconnect.unref()
    })
    socket = opened
  }

  function count(access: AccessLine): void {
    const counter = counters.get(access.appKey) ?? newCounter()
    counters.set(access.appKey, counter)
    counter.requests += 1
    counter.statuses[statusClass(access.status)] += 1
    counter.bytesIn += access.bytesIn
    counter.bytesOut += access.bytesOut
    if (access.latencyMs !== undefined) addLatency(counter.recent, access.latencyMs)
  }

  const turn = setInterval(() => {
    for (const counter of counters.values()) {
      counter.before = counter.recent
      counter.recent = emptyHistogram()
    }
  }, HALF_WINDOW_MS)
  turn.unref()
  open()

  return {
    snapshot(appKey: string): AccessSnapshot {
      const { requests, statuses, bytesIn, bytesOut, recent, before } = counters.get(appKey) ?? newCounter()
      const quantile = (share: number) => quantileMs([recent, before], share) ?? null
      return { since, requests, statuses: { ...statuses }, bytesIn, bytesOut, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
    },
    forget(appKey: string): void {
      counters.delete(appKey)
    },
    close(): void {
      isClosed = true
      clearTimeout(reconnect)
      clearInterval(turn)
      socket?.destroy()
    },
  }
}

function newCounter(): Counter {
  const statuses = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  return { requests: 0, statuses, bytesIn: 0, bytesOut: 0, recent: emptyHistogram(), before: emptyHistogram() }
}

function statusClass(status: number): StatusClass {
  if (status < 200) return '1xx'
  if (status < 300) return '2xx'
  if (status < 400) return '3xx'
  return status < 500 ? '4xx' : '5xx'
}
