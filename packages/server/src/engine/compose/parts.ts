import { wordsOf } from './command-line.ts'
import { mapping, matching, refuse, scalar, texts, variables } from './refuse.ts'
import type { Condition, Dependency } from './stack.ts'

const VOLUME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/
const TARGET = /^(\/[A-Za-z0-9._@+-]+)+\/?$/
const FORBIDDEN_TARGET = /(^|\/)\.{1,2}(\/|$)|^\/(proc|sys|dev|run|var\/run)(\/|$)/
const LOWEST_HOST_PORT = 1024
const MOUNT_KEYS = ['type', 'source', 'target', 'read_only', 'volume', 'tmpfs']
const PORT_KEYS = ['target', 'published', 'protocol', 'host_ip', 'mode', 'name', 'app_protocol']

export type MountRead =
  | { readonly kind: 'volume'; readonly source?: string; readonly path: string; readonly readOnly?: boolean; readonly noCopy?: boolean }
  | { readonly kind: 'tmpfs'; readonly path: string }

/** Named volumes, anonymous ones and tmpfs. Whatever could be a place on the machine is refused. */
export function mountOf(value: unknown, at: string): MountRead {
  if (typeof value === 'string') return shortMount(value, at)
  const long = mapping(value, at, MOUNT_KEYS)
  const kind = long['type'] ?? 'volume'
  const options = mapping(long['volume'], `${at}.volume`, ['nocopy'])
  mapping(long['tmpfs'], `${at}.tmpfs`, [])
  const path = targetOf(long['target'], at)
  if (kind === 'tmpfs') return { kind, path }
  if (kind !== 'volume') refuse(`${at} (type ${JSON.stringify(kind)})`)
  return {
    kind: 'volume',
    ...(long['source'] === undefined ? {} : { source: matching(long['source'], `${at} (host path)`, VOLUME) }),
    path,
    ...(long['read_only'] === true ? { readOnly: true } : {}),
    ...(options['nocopy'] === true ? { noCopy: true } : {}),
  }
}

function shortMount(text: string, at: string): MountRead {
  const parts = text.split(':')
  const [first = '', second, mode, ...more] = parts
  if (more.length > 0 || (mode !== undefined && !/^(ro|rw)$/.test(mode))) refuse(at, 'has an option that is not allowed')
  if (second === undefined) return { kind: 'volume', path: targetOf(first, at) }
  if (!VOLUME.test(first)) refuse(`${at} (host path ${first.slice(0, 80)})`)
  return { kind: 'volume', source: first, path: targetOf(second, at), ...(mode === 'ro' ? { readOnly: true } : {}) }
}

function targetOf(value: unknown, at: string): string {
  const target = matching(value, at, TARGET)
  return FORBIDDEN_TARGET.test(target) ? refuse(`${at} (${target})`) : target.replace(/\/$/, '')
}

export type PortRead = {
  readonly host: number | null
  readonly hostIp: string
  readonly container: number
  readonly protocol: 'tcp' | 'udp'
}

const SHORT_PORT = /^(?:(?<ip>\d{1,3}(?:\.\d{1,3}){3}):)?(?:(?<host>\d{1,5})?:)?(?<container>\d{1,5})(?:\/(?<protocol>tcp|udp))?$/

export function portOf(value: unknown, at: string, reserved: readonly number[]): PortRead {
  const long = typeof value === 'object' ? mapping(value, at, PORT_KEYS) : null
  const parts =
    long === null
      ? (SHORT_PORT.exec(scalar(value, at))?.groups ?? refuse(at, 'must be written as "host:container", one port each'))
      : longPort(long, at)
  const host = parts['host'] === undefined ? null : Number(parts['host'])
  const container = Number(parts['container'])
  if (container < 1 || container > 65_535) refuse(at, 'must be between 1 and 65535')
  if (host !== null && (host < LOWEST_HOST_PORT || host > 65_535))
    refuse(`${at} (host port ${host})`, `must be ${LOWEST_HOST_PORT} or above`)
  if (host !== null && reserved.includes(host)) refuse(`${at} (host port ${host})`, 'belongs to the platform')
  return { host, hostIp: parts['ip'] ?? '', container, protocol: parts['protocol'] === 'udp' ? 'udp' : 'tcp' }
}

function longPort(long: Readonly<Record<string, unknown>>, at: string): Record<string, string | undefined> {
  const optional = (key: string, grammar: RegExp) => (long[key] === undefined ? undefined : matching(long[key], `${at}.${key}`, grammar))
  return {
    ip: optional('host_ip', /^\d{1,3}(\.\d{1,3}){3}$/),
    host: optional('published', /^\d{1,5}$/),
    container: matching(long['target'], `${at}.target`, /^\d{1,5}$/),
    protocol: optional('protocol', /^(tcp|udp)$/),
  }
}

export type ComposeBuild = {
  readonly context: string
  readonly dockerfile: string
  readonly target?: string
  readonly args: Readonly<Record<string, string>>
}

/** `context` and `dockerfile` are paths inside the repository: grammar here, real containment when they are read. */
export function buildOf(value: unknown, at: string, env: Readonly<Record<string, string>>): ComposeBuild {
  const given = typeof value === 'string' ? { context: value } : mapping(value, at, ['context', 'dockerfile', 'target', 'args'])
  const context = repoPath(given['context'] ?? '.', `${at}.context`)
  const dockerfile = repoPath(given['dockerfile'] ?? 'Dockerfile', `${at}.dockerfile`)
  const target =
    given['target'] === undefined ? {} : { target: matching(given['target'], `${at}.target`, /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/) }
  return { context, dockerfile, ...target, args: buildArgsOf(given['args'], `${at}.args`, env) }
}

/** The builder takes some arguments as orders to itself: another program to read the Dockerfile with, another namespace of the cache. */
function buildArgsOf(value: unknown, at: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const args = variables(value, at, env)
  const order = Object.keys(args).find((name) => /^BUILDKIT_/i.test(name) && name !== 'BUILDKIT_INLINE_CACHE')
  return order === undefined ? args : refuse(`${at}.${order}`)
}

function repoPath(value: unknown, at: string): string {
  const text = matching(value, at, /^[A-Za-z0-9._@+][A-Za-z0-9._@+/ -]{0,511}$/)
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? refuse(at, 'leaves the repository') : parts.join('/') || '.'
}

/** Nothing where the image's own is to be kept. */
export function commandOf(value: unknown, at: string): string[] | undefined {
  if (value === null || value === undefined) return undefined
  const words = Array.isArray(value) ? texts(value, at) : wordsOf(scalar(value, at), at)
  return words.length === 0 ? undefined : words
}

/** One that is empty takes the image's own away; the engine has one empty word for that. */
export function entrypointOf(value: unknown, at: string): string[] | undefined {
  return value === '' || (Array.isArray(value) && value.length === 0) ? [''] : commandOf(value, at)
}

export function dependsOnOf(value: unknown, at: string): Dependency[] {
  if (Array.isArray(value)) return texts(value, at).map((service) => ({ service, condition: 'service_started' }))
  return Object.entries(mapping(value, at)).map(([service, wanted]) => {
    const given = mapping(wanted, `${at}.${service}`, ['condition', 'required', 'restart'])
    const condition = CONDITIONS.find((known) => known === (given['condition'] ?? 'service_started'))
    if (condition === undefined) return refuse(`${at}.${service}.condition`, `must be one of ${CONDITIONS.join(', ')}`)
    return { service, condition, ...(given['required'] === false ? { isOptional: true } : {}) }
  })
}

const CONDITIONS: readonly Condition[] = ['service_started', 'service_healthy', 'service_completed_successfully']

export function aliasesOf(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return []
  const networks = Object.entries(mapping(value, at))
  return networks.flatMap(([name, endpoint]) => {
    const given = mapping(endpoint, `${at}.${name}`, ['aliases'])
    return given['aliases'] === undefined
      ? []
      : texts(given['aliases'], `${at}.${name}.aliases`).map((alias) =>
          matching(alias, `${at}.${name}.aliases`, /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/),
        )
  })
}

const SIZE = /^(?<amount>\d+(?:\.\d+)?)(?<unit>[bkmg]?)b?$/i
const UNIT = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const

/** Never nothing: to the engine that is no limit at all. */
export function bytesOf(value: unknown, at: string, least: { bytes: number; text: string } = { bytes: 4096, text: '4k' }): number {
  const { amount = '', unit = '' } = SIZE.exec(scalar(value, at))?.groups ?? refuse(at, 'must be a size such as 512m')
  const factor = Object.entries(UNIT).find(([name]) => name === unit.toLowerCase())?.[1] ?? 1
  const bytes = Math.round(Number(amount) * factor)
  return bytes < least.bytes ? refuse(at, `must be at least ${least.text}`) : bytes
}
