import { edgePaths, type MapName } from '../paths.ts'

export type HaproxySettings = {
  readonly dir: string
  /** Of one of several nodes, which may share the ports. */
  readonly node?: string | undefined
  readonly httpPort: number
  readonly httpsPort: number
  /** Whether the machine has IPv6; binding `::` fails if it is disabled. */
  readonly ipv6: boolean
  readonly cores: number
  /** The networks of this machine's containers, as `address/bits`: apps, with a /24 per project, and build steps. */
  readonly containerNetworks: readonly string[]
  readonly maxConnections?: number
  readonly timeouts?: Partial<EdgeTimeouts>
  /** The user HAProxy switches to once it has bound its ports, if it starts as root. */
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
/** Count the open connections and the unfinished requests of each source. */
export const CONNECTIONS_TABLE = 'connections'
export const REQUESTS_TABLE = 'requests'

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
 * The limits per source. A source is an IPv4 address or the IPv6 network of one customer, and may have many people behind it. One HTTP/2
 * connection carries a hundred requests, and each needs a connection to the app, so requests are counted as well.
 */
export function sharesOf(settings: HaproxySettings) {
  const all = maxConnections(settings)
  return {
    connectionsOfSource: Math.floor(all / 16),
    connectionsOfProject: Math.floor(all / 32),
    requestsOfSource: Math.floor(all / 8),
    requestsOfApp: Math.floor(all / 2),
    /** Per port. As long as neither port has more, a quarter of all connections is free. */
    keptOpen: Math.floor((all * 3) / 8),
  }
}

/**
 * Connects two parts of one HAProxy. Abstract, because the user HAProxy runs as cannot reach our files. Named after a port, which no
 * two of them can share except the edges of several nodes. Apps' containers cannot see it, because it belongs to the machine's own network.
 */
export function fallbackSocket(settings: HaproxySettings): string {
  return `abns@berth-fallback-${settings.httpPort}${settings.node === undefined ? '' : `-${settings.node}`}`
}

/** Looks up the preceding value in a map. */
export function lookUp(settings: HaproxySettings, map: MapName | 'checks'): string {
  const paths = edgePaths(settings.dir)
  return `map_str(${quote(map === 'checks' ? paths.checks : paths.map(map))})`
}

/** Paths appear in the configuration and in socket commands; plain ones need no quoting in either. */
export function quote(path: string): string {
  if (/^[A-Za-z0-9_./@+-]+$/.test(path)) return path
  throw new Error(`The path of the data directory may only contain letters, digits and . _ - @ + / but is ${JSON.stringify(path)}`)
}
