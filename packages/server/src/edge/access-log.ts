/** One finished request, as HAProxy's log line tells it. */
export type AccessLine = {
  readonly appKey: string
  readonly status: number
  /** Until the app's first byte; undefined when it never answered. Not the whole time: a stream that lives for an hour is not slow. */
  readonly latencyMs: number | undefined
  readonly bytesOut: number
  readonly bytesIn: number
}

/** `<app key> <status> <ms> <bytes out> <bytes in>`, as `haproxy-config.ts` writes it. Undefined for anything else. */
export function parseAccessLine(line: string): AccessLine | undefined {
  const [appKey, status, latency, out, into, rest] = line.split(' ')
  if (appKey === undefined || into === undefined || rest !== undefined || appKey === '-' || appKey === '') return undefined
  const numbers = [status, latency, out, into].map(Number)
  const [code = Number.NaN, ms = Number.NaN, bytesOut = Number.NaN, bytesIn = Number.NaN] = numbers
  if (!numbers.every(Number.isFinite)) return undefined
  return { appKey, status: code, latencyMs: ms >= 0 && code !== 101 ? ms : undefined, bytesOut, bytesIn }
}
