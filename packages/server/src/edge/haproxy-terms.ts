import { edgePaths, type MapName } from './edge-paths.ts'

export type HaproxySettings = {
  readonly dir: string
  readonly httpPort: number
  readonly httpsPort: number
  /** Whether the machine has IPv6; binding `::` fails where it is switched off. */
  readonly ipv6: boolean
  readonly cores: number
  readonly maxConnections?: number
  readonly timeouts?: Partial<EdgeTimeouts>
  /** The user HAProxy becomes once it has bound its ports. Only where it starts as root. */
  readonly runAs?: { readonly uid: number; readonly gid: number }
}

export type EdgeTimeouts = {
  clientMs: number
  serverMs: number
  streamMs: number
  connectMs: number
  requestMs: number
  keepAliveMs: number
}

const TIMEOUTS: EdgeTimeouts = {
  clientMs: 60_000,
  serverMs: 300_000,
  streamMs: 3_600_000,
  connectMs: 3_000,
  requestMs: 10_000,
  keepAliveMs: 75_000,
}

/** The in-memory log that access counts are read from. */
export const ACCESS_RING = 'access'
/** Counts the requests that each target set is working on. */
export const IN_FLIGHT_TABLE = 'in-flight'
export const PER_SOURCE_TABLE = 'per-source'

/** The host is an app's: `txn.found` is its entry in `hosts`. */
export const IS_FOUND = '{ var(txn.found) -m found }'
/** `txn.to` is one target, ip | port, and neither a page nor a set of several. */
export const HAS_TARGET = '{ var(txn.to) -m sub | }'
/** Where that target is, for HAProxy to connect to. */
export const SET_DESTINATION = ['  http-request set-dst var(txn.to),field(1,|)', '  http-request set-dst-port var(txn.to),field(2,|)']

export function timeoutsOf(settings: HaproxySettings): EdgeTimeouts {
  return { ...TIMEOUTS, ...settings.timeouts }
}

export function maxConnections(settings: HaproxySettings): number {
  return settings.maxConnections ?? 8000
}

/**
 * Between two parts of one HAProxy. Abstract, because the user that it has become reaches no file of ours; named by a port, which
 * no two of them can share. Containers of apps do not see it: it is of the machine's own network.
 */
export function againSocket(settings: HaproxySettings): string {
  return `abns@berth-again-${settings.httpPort}`
}

/** What a map has for the word before it. */
export function lookUp(settings: HaproxySettings, map: MapName): string {
  return `map_str(${quote(edgePaths(settings.dir).map(map))})`
}

/** Paths travel through the configuration and the socket's command language; plain ones need no quoting in either. */
export function quote(path: string): string {
  if (/^[A-Za-z0-9_./@+-]+$/.test(path)) return path
  throw new Error(`The path of the data directory may hold only letters, digits and . _ - @ + / here: ${JSON.stringify(path)}`)
}
