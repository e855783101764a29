import { BlockList, isIP } from 'node:net'
import { bytesOf } from './parts.ts'
import { mapping, matching, type Reading, refuse, scalar, texts } from './refuse.ts'
import type { Ulimit } from './stack.ts'

/** The engine's own minimum. */
const LEAST_MEMORY = { bytes: 6 * 1024 ** 2, text: '6m' }
const LEAST_CPUS = 0.01
const DEPLOY_KEYS = [
  'resources',
  'replicas',
  'restart_policy',
  'update_config',
  'rollback_config',
  'placement',
  'endpoint_mode',
  'mode',
  'labels',
]

/** Limits in either of the two places that Compose supports; everything else in `deploy` is for clusters and has no effect here. */
export function limitsOf(given: Readonly<Record<string, unknown>>, at: string): { memoryBytes?: number; cpus?: number } {
  const deploy = mapping(given['deploy'], `${at}.deploy`, DEPLOY_KEYS)
  const resources = mapping(deploy['resources'], `${at}.deploy.resources`, ['limits', 'reservations'])
  const limits = mapping(resources['limits'], `${at}.deploy.resources.limits`, ['cpus', 'memory', 'pids'])
  mapping(resources['reservations'], `${at}.deploy.resources.reservations`, ['cpus', 'memory'])
  const memory = given['mem_limit'] ?? limits['memory']
  const cpus = given['cpus'] ?? limits['cpus']
  return {
    ...(memory === undefined ? {} : { memoryBytes: bytesOf(memory, `${at}.mem_limit`, LEAST_MEMORY) }),
    ...(cpus === undefined ? {} : { cpus: cpusOf(cpus, `${at}.cpus`) }),
  }
}

/** As many as an app that is a single container may have. */
const MOST_REPLICAS = 20
const MOST_CONTAINERS = 40

/** How many containers of the service the file asks for. */
export function replicasOf(given: Readonly<Record<string, unknown>>, at: string): number {
  const inDeploy = mapping(given['deploy'], `${at}.deploy`)['replicas']
  const key = inDeploy === undefined || inDeploy === null ? 'scale' : 'deploy.replicas'
  const replicas = Number(matching(inDeploy ?? given['scale'] ?? 1, `${at}.${key}`, /^\d{1,9}$/))
  return replicas > MOST_REPLICAS ? refuse(`${at}.${key}`, `must be at most ${MOST_REPLICAS}. Set a smaller number`) : replicas
}

export function refuseTooManyContainers(services: readonly { readonly replicas?: number }[]): void {
  const all = services.reduce((sum, { replicas = 1 }) => sum + replicas, 0)
  if (all > MOST_CONTAINERS)
    refuse('services', `have ${all} containers together, and at most ${MOST_CONTAINERS} are allowed. Set smaller numbers of replicas`)
}

function cpusOf(value: unknown, at: string): number {
  const cpus = Number(matching(value, at, /^\d{1,3}(\.\d{1,3})?$/))
  return cpus < LEAST_CPUS ? refuse(at, `must be at least ${LEAST_CPUS}`) : cpus
}

/** The maximum of each ulimit. Locked memory is always limited by the container's memory. */
const ULIMITS: Readonly<Record<string, number>> = { nofile: 1_048_576, nproc: 65_535, memlock: 2 ** 40, stack: 2 ** 30, core: 0 }
const MAY_BE_UNLIMITED = ['memlock', 'stack']

export function ulimitsOf(value: unknown, at: string): Ulimit[] {
  return Object.entries(mapping(value, at)).map(([name, wanted]) => {
    const most = Object.hasOwn(ULIMITS, name) ? ULIMITS[name] : undefined
    if (most === undefined) return refuse(`${at}.${name}`, `is not allowed. Only these can be set: ${Object.keys(ULIMITS).join(', ')}`)
    const both = typeof wanted === 'object' ? mapping(wanted, `${at}.${name}`, ['soft', 'hard']) : { soft: wanted, hard: wanted }
    const amount = (key: 'soft' | 'hard') => {
      const number = Number(matching(both[key] ?? both['hard'] ?? both['soft'], `${at}.${name}`, /^(-1|\d{1,13})$/))
      const isTooMuch = number > most || (number === -1 && !MAY_BE_UNLIMITED.includes(name))
      return isTooMuch ? refuse(`${at}.${name}`, `must be at most ${most}`) : number
    }
    return { name, soft: amount('soft'), hard: amount('hard') }
  })
}

/** Settings of the container's own network namespace, without effect on others. */
const SYSCTL =
  /^net\.(core\.somaxconn|ipv4\.(tcp_(keepalive_(time|intvl|probes)|syncookies|max_syn_backlog|tw_reuse|fin_timeout|syn_retries)|ip_local_port_range|ip_unprivileged_port_start)|ipv6\.conf\.(all|default|lo)\.disable_ipv6)$/

/** Enabling IPv6 would give a container addresses that our firewall rules do not cover. */
export function isSysctl(key: string, value: string): boolean {
  return SYSCTL.test(key) && /^\d{1,10}([ \t]+\d{1,10})?$/.test(value) && (value === '1' || !key.endsWith('.disable_ipv6'))
}

export function sysctlsOf(value: unknown, at: string): Record<string, string> {
  const pairs = Array.isArray(value)
    ? texts(value, at).map((line) => [line.split('=')[0]?.trim() ?? '', line.slice(line.indexOf('=') + 1).trim()] as const)
    : Object.entries(mapping(value, at))
  return Object.fromEntries(
    pairs.map(([key, given]) => {
      if (!SYSCTL.test(key))
        refuse(`${at}.${key}`, 'is not allowed: it would apply to the whole server. Remove it, or ask an admin to set it on the server')
      const setting = matching(given, `${at}.${key}`, /^\d{1,10}([ \t]+\d{1,10})?$/)
      return isSysctl(key, setting) ? ([key, setting] as const) : refuse(`${at}.${key}`, 'must be 1: IPv6 can only be turned off')
    }),
  )
}

/** Private, shared, link-local, loopback and unassigned addresses. */
const NOT_PUBLIC = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const

const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/

/** Not the machine itself, its networks or a metadata service. */
export function isPublicAddress(address: string): boolean {
  const others = new BlockList()
  for (const [net, prefix] of NOT_PUBLIC) others.addSubnet(net, prefix)
  return isIP(address) === 4 && !others.check(address)
}

/** `name:address` or `name=address` lines, or a mapping. */
export function extraHostsOf(value: unknown, at: string, reading: Reading): string[] {
  const pairs = Array.isArray(value)
    ? texts(value, at).map((line) => /^([^:=]+)[:=](.+)$/.exec(line)?.slice(1) ?? refuse(at, 'must be written as "name:address"'))
    : Object.entries(mapping(value, at)).map(([name, address]) => [name, scalar(address, at)])
  return reading
    .each(at, pairs, ([name = '', address = '']) => {
      matching(name, at, HOST_NAME)
      if (address === 'host-gateway') {
        reading.note(`${at}: ${name} is ignored, because apps cannot reach the server itself. Run what it needs as an app of the project.`)
        return []
      }
      if (!isPublicAddress(address))
        refuse(
          `${at} (${name})`,
          `must have a public address, and ${address.slice(0, 45)} is not one. Reach other apps of the project by name`,
        )
      return [`${name}:${address}`]
    })
    .flat()
}

/** The engine's default capabilities without MKNOD and NET_RAW, and IPC_LOCK, which stays within the container's memory limit. */
export const HARMLESS_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'IPC_LOCK',
  'KILL',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

export function addedCapability(value: unknown, at: string, reading: Reading): string[] {
  const name = matching(value, at, /^[A-Za-z_]{2,40}$/)
    .toUpperCase()
    .replace(/^CAP_/, '')
  if (HARMLESS_CAPABILITIES.includes(name)) return [name]
  if (name !== 'SYS_NICE')
    refuse(`${at} (${name})`, `is not allowed: it gives rights on the server. Only these are allowed: ${HARMLESS_CAPABILITIES.join(', ')}`)
  reading.note(`${at}: SYS_NICE is ignored; databases work without it.`)
  return []
}
