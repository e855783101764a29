import { isIPv4 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { AppError, fieldError } from '../../lib/app-error.ts'

const PLAIN_ORIGIN = /^https?:\/\/[A-Za-z0-9.:[\]-]+$/
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/
const OF_CONTAINERS = /^(?:docker|br-|veth)/

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** The addresses of this machine that other machines may reach. */
export function reachableAddresses(interfaces: Interfaces): string[] {
  return Object.entries(interfaces).flatMap(([name, entries = []]) =>
    OF_CONTAINERS.test(name) ? [] : entries.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  )
}

/** The one that was asked for, or the only one there is. */
export function chooseAddress(wanted: string | undefined, known: readonly string[]): string {
  if (wanted !== undefined) {
    if (!isIPv4(wanted)) throw fieldError('invalid_request', 'address', 'must be an IPv4 address of this server.')
    return wanted
  }
  const [only, ...others] = known
  if (only !== undefined && others.length === 0) return only
  const found = known.length === 0 ? 'none was found' : `it has ${known.join(', ')}`
  throw fieldError('invalid_request', 'address', `choose the address of this server that the others can reach (${found}).`)
}

/** `manager` is its address and port. */
type Join = { site: URL; imageToken: string; joinToken: string; manager: string; rules: readonly string[]; trust?: Trust | undefined }
/** Where images are pulled from, and the certificate that a server has to trust for that. */
export type Trust = { readonly host: string; readonly certificate: string }

/** How the caller reaches this Berth, from the Host header. It becomes a part of a command. */
export function siteUrl(site: string): URL {
  const url = URL.parse(site)
  if (url === null || !PLAIN_ORIGIN.test(url.origin)) throw new AppError('invalid_request', { message: 'The Host header is not valid.' })
  return url
}

/** To run on the new server. `site` is how the caller reaches this Berth, so most likely the new server can too. */
export function joinCommand({ site, imageToken, joinToken, manager, rules, trust }: Join): string {
  const url = new URL(site)
  if (LOOPBACK.test(url.hostname)) url.hostname = manager.replace(/:\d+$/, '')
  const load = `curl -fsS '${url.origin}/api/servers/image?token=${imageToken}' | docker load`
  // if one cannot be added, the check says so, and no app runs there
  const close = rules.map((rule) => `iptables -C ${rule} 2>/dev/null || iptables -I ${rule};`).join(' ')
  const trusted = trust === undefined ? '' : `${trustCommand(trust)}; `
  return `${load} && { ${trusted}${close} docker swarm join --token ${joinToken} ${manager}; }`
}

/** Docker reads it at the next pull, without a restart. */
export function trustCommand({ host, certificate }: Trust): string {
  const directory = `/etc/docker/certs.d/${host}`
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']
  const body = certificate.replace(begin, '').replace(end, '').replaceAll(/\s/g, '')
  return `mkdir -p ${directory} && printf '%s\\n' '${begin}' '${body}' '${end}' > ${directory}/ca.crt`
}
