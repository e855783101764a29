import { parseImageReference } from '../image-reference.ts'
import { durationMs, durationText, healthcheckOf } from './healthcheck.ts'
import { aliasesOf, buildOf, bytesOf, type ComposeBuild, commandOf, dependsOnOf, type Mount, mountOf } from './parts.ts'
import { flag, mapping, matching, refuse, scalar, sequence, texts, variables } from './refuse.ts'

/** One service of the file, as far as we take it over. `kept` goes into the new file as it is. */
export type ServiceRead = {
  readonly name: string
  readonly image: string | null
  readonly build: ComposeBuild | null
  readonly kept: Readonly<Record<string, unknown>>
  readonly ports: readonly unknown[]
  readonly expose: readonly number[]
  readonly mounts: readonly Mount[]
  readonly aliases: readonly string[]
  readonly capDrop: readonly string[]
  readonly memoryBytes?: number
  readonly cpus?: number
}

type Env = Readonly<Record<string, string>>
type Read = (value: unknown, at: string, env: Env) => unknown

const WORD = /^[A-Za-z0-9_.:/@+-]{1,255}$/
/** The engine's own minimum. */
const LEAST_MEMORY = { bytes: 6 * 1024 ** 2, text: '6m' }
const LEAST_CPUS = 0.01
/** An engine that is to end waits for the longest of all its containers. */
const LONGEST_GRACE_MS = 10 * 60_000

/** Keys that are copied once their value has been read. */
const KEPT: Readonly<Record<string, Read>> = {
  command: commandOf,
  entrypoint: commandOf,
  environment: variables,
  depends_on: dependsOnOf,
  healthcheck: healthcheckOf,
  restart: (value, at) => matching(value, at, /^(no|false|always|unless-stopped|on-failure(:\d{1,3})?)$/).replace('false', 'no'),
  working_dir: (value, at) => matching(value, at, /^\/[A-Za-z0-9._@+/-]*$/),
  user: (value, at) => matching(value, at, /^[A-Za-z0-9_-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/),
  hostname: (value, at) => matching(value, at, /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/),
  stop_signal: (value, at) => matching(value, at, /^[A-Z0-9+]{1,16}$/),
  stop_grace_period: (value, at) => durationText(durationMs(value, at, LONGEST_GRACE_MS)),
  tty: flag,
  stdin_open: flag,
  read_only: flag,
  platform: (value, at) => matching(value, at, WORD),
  shm_size: (value, at) => bytesOf(value, at),
  tmpfs: (value, at) =>
    (Array.isArray(value) ? texts(value, at) : [value]).map((path) =>
      matching(path, at, /^(?!.*(\/\/|\/\.{1,2}(\/|$)))\/(?!proc|sys|dev(\/(?!shm)|$))[A-Za-z0-9._/-]+$/),
    ),
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
  'labels',
  'init',
  'scale',
  'mem_reservation',
  'pull_policy',
]

export function serviceOf(service: { name: string; value: unknown }, env: Env): ServiceRead {
  const at = `services.${service.name}`
  const given = mapping(service.value, at, [...Object.keys(KEPT), ...TAKEN])
  const kept = Object.entries(KEPT).flatMap(([key, read]) =>
    given[key] === undefined ? [] : [[key, read(given[key], `${at}.${key}`, env)] as const],
  )
  const image = given['image'] === undefined ? null : imageOf(given['image'], `${at}.image`)
  const build = given['build'] === undefined ? null : buildOf(given['build'], `${at}.build`, env)
  if (image === null && build === null) refuse(at, 'needs an image or a build')
  const list = (key: string) => (given[key] === undefined || given[key] === null ? [] : sequence(given[key], `${at}.${key}`))
  return {
    name: service.name,
    image,
    build,
    kept: Object.fromEntries(kept),
    ports: list('ports'),
    expose: list('expose').map((port) => Number(matching(port, `${at}.expose`, /^\d{1,5}(\/tcp)?$/).replace('/tcp', ''))),
    mounts: list('volumes').map((mount) => mountOf(mount, `${at}.volumes`)),
    aliases: aliasesOf(given['networks'], `${at}.networks`),
    capDrop: list('cap_drop').map((name) => matching(name, `${at}.cap_drop`, /^[A-Z_]{2,40}$/)),
    ...limitsOf(given, at),
  }
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
