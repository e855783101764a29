import { parseImageReference } from '../image-reference.ts'
import { durationMs, healthcheckOf } from './healthcheck.ts'
import {
  aliasesOf,
  buildOf,
  bytesOf,
  type ComposeBuild,
  commandOf,
  dependsOnOf,
  entrypointOf,
  type MountRead,
  mountOf,
  type PortRead,
  portOf,
} from './parts.ts'
import { flag, isExtension, mapping, matching, type Reading, refuse, scalar, sequence, texts, variables } from './refuse.ts'
import type { Dependency, StackService } from './stack.ts'

/** One service of the file, as far as we take it over. */
export type ServiceRead = Settings & {
  readonly name: string
  readonly image: string | null
  readonly build: ComposeBuild | null
  readonly dependsOn: readonly Dependency[]
  readonly ports: readonly PortRead[]
  readonly expose: readonly number[]
  readonly mounts: readonly MountRead[]
  readonly aliases: readonly string[]
  readonly capDrop: readonly string[]
  readonly memoryBytes?: number
  readonly cpus?: number
}

type Env = Readonly<Record<string, string>>
type Read<Value> = (value: unknown, at: string, env: Env) => Value | undefined
/** What a service may say of itself in one key, and what that becomes. */
type Settings = Partial<
  Pick<
    StackService,
    | 'command'
    | 'entrypoint'
    | 'environment'
    | 'healthcheck'
    | 'restart'
    | 'workingDir'
    | 'user'
    | 'hostname'
    | 'stopSignal'
    | 'stopGraceSeconds'
    | 'tty'
    | 'stdinOpen'
    | 'readOnly'
    | 'platform'
    | 'shmBytes'
    | 'tmpfs'
  >
>

const WORD = /^[A-Za-z0-9_.:/@+-]{1,255}$/
/** The engine's own minimum. */
const LEAST_MEMORY = { bytes: 6 * 1024 ** 2, text: '6m' }
const LEAST_CPUS = 0.01
/** An engine that is to end waits for the longest of all its containers. */
const LONGEST_GRACE_MS = 10 * 60_000

const SETTINGS: { readonly [Name in keyof Settings]-?: readonly [key: string, read: Read<Settings[Name]>] } = {
  command: ['command', commandOf],
  entrypoint: ['entrypoint', entrypointOf],
  environment: ['environment', variables],
  healthcheck: ['healthcheck', healthcheckOf],
  restart: ['restart', restartOf],
  workingDir: ['working_dir', (value, at) => matching(value, at, /^\/[A-Za-z0-9._@+/-]*$/)],
  user: ['user', (value, at) => matching(value, at, /^[A-Za-z0-9_-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/)],
  hostname: ['hostname', (value, at) => matching(value, at, /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/)],
  stopSignal: ['stop_signal', (value, at) => matching(value, at, /^[A-Z0-9+]{1,16}$/)],
  stopGraceSeconds: ['stop_grace_period', (value, at) => Math.ceil(durationMs(value, at, LONGEST_GRACE_MS) / 1000)],
  tty: ['tty', flag],
  stdinOpen: ['stdin_open', flag],
  readOnly: ['read_only', flag],
  platform: ['platform', (value, at) => matching(value, at, WORD)],
  shmBytes: ['shm_size', (value, at) => bytesOf(value, at)],
  tmpfs: ['tmpfs', tmpfsOf],
}

/** Keys that are read elsewhere, or that may be there and are ours to decide. */
const TAKEN = [
  'image',
  'build',
  'ports',
  'expose',
  'volumes',
  'networks',
  'cap_drop',
  'mem_limit',
  'cpus',
  'deploy',
  'depends_on',
  'labels',
  'init',
  'scale',
  'mem_reservation',
  'pull_policy',
]

const KNOWN = [...Object.values(SETTINGS).map(([key]) => key), ...TAKEN]

/** Nothing where something speaks against it; the reading knows what. */
export function serviceOf(service: { name: string; value: unknown }, { env, reading, reservedPorts }: Around): ServiceRead | undefined {
  const at = `services.${service.name}`
  const given = reading.attempt(() => mapping(service.value, at))
  if (given === undefined) return undefined
  const { attempt } = reading
  reading.each(
    Object.keys(given).filter((key) => !KNOWN.includes(key) && !isExtension(key)),
    (key) => refuse(`${at}.${key}`),
  )
  const read = <Value>(key: string, work: (value: unknown, at: string) => Value) =>
    given[key] === undefined ? undefined : attempt(() => work(given[key], `${at}.${key}`))
  const list = (key: string) => read(key, (value, where) => (value === null ? [] : sequence(value, where))) ?? []
  const image = read('image', imageOf) ?? null
  const build = read('build', (value, where) => buildOf(value, where, env)) ?? null
  if (given['image'] === undefined && given['build'] === undefined) attempt(() => refuse(at, 'needs an image or a build'))
  return {
    ...settingsOf((key, work) => read(key, (value, where) => work(value, where, env))),
    name: service.name,
    image,
    build,
    dependsOn: read('depends_on', dependsOnOf) ?? [],
    ports: reading.each(list('ports'), (port) => portOf(port, `${at}.ports`, reservedPorts)),
    expose: reading.each(list('expose'), (port) => exposedOf(port, `${at}.expose`)),
    mounts: reading.each(list('volumes'), (mount) => mountOf(mount, `${at}.volumes`)),
    aliases: read('networks', aliasesOf) ?? [],
    capDrop: reading.each(list('cap_drop'), (name) => matching(name, `${at}.cap_drop`, /^[A-Z_]{2,40}$/)),
    ...attempt(() => limitsOf(given, at)),
  }
}

type Around = { env: Env; reading: Reading; reservedPorts: readonly number[] }

function settingsOf(read: <Value>(key: string, work: Read<Value>) => Value | undefined): Settings {
  const found = Object.entries(SETTINGS).flatMap(([name, [key, work]]) => {
    const value = read<unknown>(key, work)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found) // each by its own reader, as the type of SETTINGS says
}

function restartOf(value: unknown, at: string): StackService['restart'] {
  const [policy = '', retries] = matching(value, at, /^(no|false|always|unless-stopped|on-failure(:\d{1,3})?)$/).split(':')
  if (policy === 'always' || policy === 'unless-stopped') return { policy }
  if (policy === 'on-failure') return { policy, ...(retries === undefined ? {} : { retries: Number(retries) }) }
  return { policy: 'no' }
}

function tmpfsOf(value: unknown, at: string): string[] {
  return (Array.isArray(value) ? texts(value, at) : [value]).map((path) =>
    matching(path, at, /^(?!.*(\/\/|\/\.{1,2}(\/|$)))\/(?!proc|sys|dev(\/(?!shm)|$))[A-Za-z0-9._/-]+$/),
  )
}

function exposedOf(value: unknown, at: string): number {
  return Number(matching(value, at, /^\d{1,5}(\/tcp)?$/).replace('/tcp', ''))
}

function imageOf(value: unknown, at: string): string {
  return parseImageReference(scalar(value, at))?.text ?? refuse(at, 'has a value that is not allowed')
}

/** Limits in either of the two places that Compose knows; everything else in `deploy` is for clusters and has no effect here. */
function limitsOf(given: Readonly<Record<string, unknown>>, at: string): { memoryBytes?: number; cpus?: number } {
  const deploy = mapping(given['deploy'], `${at}.deploy`, ['resources', 'replicas', 'restart_policy', 'update_config', 'mode', 'labels'])
  const resources = mapping(deploy['resources'], `${at}.deploy.resources`, ['limits', 'reservations'])
  const limits = mapping(resources['limits'], `${at}.deploy.resources.limits`, ['cpus', 'memory', 'pids'])
  mapping(resources['reservations'], `${at}.deploy.resources.reservations`, ['cpus', 'memory'])
  const replicas = deploy['replicas'] ?? given['scale'] ?? 1
  if (replicas !== 1) refuse(`${at}.deploy.replicas`, 'must be 1')
  const memory = given['mem_limit'] ?? limits['memory']
  const cpus = given['cpus'] ?? limits['cpus']
  return {
    ...(memory === undefined ? {} : { memoryBytes: bytesOf(memory, `${at}.mem_limit`, LEAST_MEMORY) }),
    ...(cpus === undefined ? {} : { cpus: cpusOf(cpus, `${at}.cpus`) }),
  }
}

function cpusOf(value: unknown, at: string): number {
  const cpus = Number(matching(value, at, /^\d{1,3}(\.\d{1,3})?$/))
  return cpus < LEAST_CPUS ? refuse(at, `must be at least ${LEAST_CPUS}`) : cpus
}
