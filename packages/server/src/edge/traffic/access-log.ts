/** One finished request, as in HAProxy's log line. */
export type AccessLine = {
  readonly appKey: string
  readonly status: number
  /** Time to the app's first byte; undefined if it never answered. Not the total time: a stream that lasts an hour is not slow. */
  readonly latencyMs: number | undefined
  readonly bytesOut: number
  readonly bytesIn: number
}

/** What follows an underscore says which service of the app it was for. */
const LINE = /^([A-Za-z0-9-]+)(?:_\w+)?\|\w* (\d+) (-?\d+) (\d+) (\d+)$/

/** `<app key>|<flags> <status> <ms> <bytes out> <bytes in>`, as `haproxy/config.ts` defines it. Undefined for anything else. */
export function parseAccessLine(line: string): AccessLine | undefined {
  const match = LINE.exec(line)
  if (match === null) return undefined
  const [, appKey = '', code, ms, bytesOut, bytesIn] = match
  const status = Number(code)
  const latencyMs = Number(ms)
  return {
    appKey,
    status,
    latencyMs: latencyMs >= 0 && status !== 101 ? latencyMs : undefined,
    bytesOut: Number(bytesOut),
    bytesIn: Number(bytesIn),
  }
}
