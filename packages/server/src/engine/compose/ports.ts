import { mapping, matching, refuse, scalar } from './refuse.ts'

/** A port of a service. Without `host` it is only exposed, not published. */
export type PortRead = {
  readonly host: number | null
  readonly hostIp: string
  readonly container: number
  readonly protocol: 'tcp' | 'udp'
}

const PORT_KEYS = ['target', 'published', 'protocol', 'host_ip', 'mode', 'name', 'app_protocol']
const SHORT_PORT =
  /^(?:(?<ip>\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]{2,39}\]):)?(?:(?<host>\d{1,5}(?:-\d{1,5})?)?:)?(?<container>\d{1,5}(?:-\d{1,5})?)(?:\/(?<protocol>tcp|udp))?$/
/** Far more than a stack publishes; a file can ask for them in ten characters. */
const LONGEST_RANGE = 100

const MOST_PORTS = 200

/** The entries of one service, which has too many ports long before the list has too many entries. */
export function createPortsOf(): typeof portsOf {
  let left = MOST_PORTS
  return (value, at) => {
    const found = left < 0 ? [] : portsOf(value, at)
    left -= found.length
    return left < 0 ? refuse(at, `has more than ${MOST_PORTS} entries`) : found
  }
}

/** One entry, which may be a range of ports. */
function portsOf(value: unknown, at: string): PortRead[] {
  const parts =
    typeof value === 'object'
      ? longPort(mapping(value, at, PORT_KEYS), at)
      : (SHORT_PORT.exec(scalar(value, at))?.groups ?? refuse(at, 'must be written as "host:container"'))
  const containers = rangeOf(parts['container'] ?? '', at)
  const hosts = parts['host'] === undefined ? null : rangeOf(parts['host'], at)
  if (hosts !== null && hosts.length !== containers.length) refuse(at, 'must have as many host ports as container ports')
  const protocol = parts['protocol'] === 'udp' ? 'udp' : 'tcp'
  // all addresses of the machine, in IPv6 notation
  const hostIp = parts['ip']?.startsWith('[') ? onlyEverywhere(parts['ip'], at) : (parts['ip'] ?? '')
  return containers.map((container, index) => ({ host: hosts?.[index] ?? null, hostIp, container, protocol }))
}

function onlyEverywhere(ip: string, at: string): string {
  return ip === '[::]' ? '' : refuse(`${at} (${ip})`, 'must be an IPv4 address of the server')
}

function rangeOf(text: string, at: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  if (first < 1 || last > 65_535 || last < first) refuse(at, 'must be between 1 and 65535')
  if (last - first >= LONGEST_RANGE) refuse(at, `must be a range of at most ${LONGEST_RANGE} ports`)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function longPort(long: Readonly<Record<string, unknown>>, at: string): Record<string, string | undefined> {
  const optional = (key: string, grammar: RegExp) => (long[key] === undefined ? undefined : matching(long[key], `${at}.${key}`, grammar))
  return {
    ip: optional('host_ip', /^\d{1,3}(\.\d{1,3}){3}$/),
    host: optional('published', /^\d{1,5}(-\d{1,5})?$/),
    container: matching(long['target'], `${at}.target`, /^\d{1,5}$/),
    protocol: optional('protocol', /^(tcp|udp)$/),
  }
}

/** The TCP ports of `expose`; the edge routes nothing else. */
export function exposedOf(value: unknown, at: string): number[] {
  const [range = '', protocol] = matching(value, at, /^\d{1,5}(-\d{1,5})?(\/(tcp|udp))?$/).split('/')
  return protocol === 'udp' ? [] : rangeOf(range, at)
}
