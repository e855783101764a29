import { parseImageReference } from '../image-reference.ts'
import { type Contents, placesOf } from './configs.ts'
import { type EnvFiles, envFilesOf } from './env-file.ts'
import { addedCapability, extraHostsOf, limitsOf, replicasOf, sysctlsOf, ulimitsOf } from './limits.ts'
import { type MountRead, mountOf, tmpfsOf } from './mounts.ts'
import { aliasesOf, buildOf, type ComposeBuild, dependsOnOf } from './parts.ts'
import { createPortsOf, exposedOf, type PortRead } from './ports.ts'
import { isExtension, mapping, matching, type Reading, refuse, scalar, sequence, texts, withinSizeLimit } from './refuse.ts'
import { DROPPED_KEYS, IGNORED_KEYS, REFUSED_KEYS } from './refused-keys.ts'
import type { LookUp } from './repository.ts'
import { SETTINGS, type Settings, settingsOf } from './settings.ts'
import type { Dependency, PlacedFile, StackService } from './stack.ts'

/** One service of the file, with the parts that we support. */
export type ServiceRead = Settings &
  Pick<StackService, 'capDrop' | 'capAdd' | 'ulimits' | 'sysctls' | 'extraHosts' | 'memoryBytes' | 'cpus' | 'tmpfs' | 'replicas'> & {
    readonly name: string
    readonly image: string | null
    readonly build: ComposeBuild | null
    readonly dependsOn: readonly Dependency[]
    readonly ports: readonly PortRead[]
    readonly expose: readonly number[]
    readonly mounts: readonly MountRead[]
    readonly files: readonly PlacedFile[]
    readonly aliases: readonly string[]
    /** The names under which other services reach it. */
    readonly links: readonly { readonly service: string; readonly alias: string }[]
  }

export type ServiceContext = {
  readonly env: Readonly<Record<string, string>>
  readonly envFiles: EnvFiles
  readonly reading: Reading
  readonly directory: string
  readonly lookUp: LookUp
  readonly configs: Contents
  readonly secrets: Contents
}

/** Keys that are read individually below. */
const TAKEN = [
  'image',
  'build',
  'ports',
  'expose',
  'volumes',
  'networks',
  'cap_drop',
  'cap_add',
  'mem_limit',
  'cpus',
  'deploy',
  'scale',
].concat(
  ['depends_on', 'env_file', 'configs', 'secrets', 'container_name', 'links', 'tmpfs', 'ulimits', 'sysctls', 'extra_hosts', 'profiles'],
  ['security_opt', 'network_mode', 'runtime', 'ipc', 'cgroup'],
)
const KNOWN = [...Object.values(SETTINGS).map(([key]) => key), ...TAKEN, ...IGNORED_KEYS, ...Object.keys(DROPPED_KEYS)]
/** Options that match the engine's default are accepted. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  network_mode: /^(bridge|default)$/,
  runtime: /^runc$/,
  ipc: /^(private|shareable|none)$/,
  cgroup: /^private$/,
}
/** Valid host names of containers in a network. */
export const ALIAS = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/

/** Undefined if it is not a mapping; other problems are recorded in the reading. */
export function serviceOf(service: { name: string; value: unknown }, context: ServiceContext): ServiceRead | undefined {
  const { env, reading } = context
  const { attempt } = reading
  const at = `services.${service.name}`
  const given = attempt(() => mapping(service.value, at))
  if (given === undefined) return undefined
  judgeKeys(given, at, reading)
  const read = <Value>(key: string, work: (value: unknown, at: string) => Value) =>
    given[key] === undefined || given[key] === null ? undefined : attempt(() => work(given[key], `${at}.${key}`))
  const each = <Value>(key: string, work: (entry: unknown, at: string) => Value) =>
    reading.each(`${at}.${key}`, read(key, sequence) ?? [], (entry) => work(entry, `${at}.${key}`))
  if (given['image'] === undefined && given['build'] === undefined) attempt(() => refuse(at, 'needs an image or a build'))
  const settings = settingsOf((key, work) => read(key, (value, where) => work(value, where, env)))
  const fromFiles = read('env_file', (value, where) => envFilesOf(value, where, { ...context, note: reading.note }))
  const name = read('container_name', (value, where) => [matching(value, where, ALIAS)])
  return {
    ...settings,
    environment: attempt(() => withinSizeLimit({ ...fromFiles, ...settings.environment }, `${at}.environment`)) ?? {},
    name: service.name,
    image: read('image', imageOf) ?? null,
    build:
      read('build', (value, where) => buildOf(value, where, { env, reading, secrets: context.secrets, directory: context.directory })) ??
      null,
    dependsOn: read('depends_on', dependsOnOf) ?? [],
    ports: each('ports', createPortsOf()).flat(),
    expose: each('expose', exposedOf).flat(),
    mounts: each('volumes', (mount, where) => mountOf(mount, where, reading)).filter((mount) => mount !== undefined),
    files: [
      ...(read('configs', (value, where) => placesOf(value, where, { contents: context.configs, directory: '', reading })) ?? []),
      ...(read('secrets', (value, where) => placesOf(value, where, { contents: context.secrets, directory: '/run/secrets', reading })) ??
        []),
    ],
    aliases: [...(name ?? []), ...(read('networks', aliasesOf) ?? [])],
    links: each('links', linkOf),
    capDrop: each('cap_drop', (entry, where) => matching(entry, where, /^[A-Z_]{2,40}$/)),
    ...unlessEmpty('capAdd', each('cap_add', (entry, where) => addedCapability(entry, where, reading)).flat()),
    ...unlessEmpty(
      'tmpfs',
      read('tmpfs', (value, where) => reading.each(where, Array.isArray(value) ? value : [value], (one) => tmpfsOf(one, where))),
    ),
    ...unlessEmpty('ulimits', read('ulimits', ulimitsOf)),
    ...unlessEmpty(
      'extraHosts',
      read('extra_hosts', (value, where) => extraHostsOf(value, where, reading)),
    ),
    ...(given['sysctls'] !== undefined && { sysctls: read('sysctls', sysctlsOf) ?? {} }),
    ...attempt(() => limitsOf(given, at)),
    ...moreThanOne(attempt(() => replicasOf(given, at))),
  }
}

function moreThanOne(replicas = 1): { replicas?: number } {
  return replicas > 1 ? { replicas } : {}
}

function unlessEmpty<Key extends string, Value>(key: Key, list: readonly Value[] | undefined): { [Name in Key]?: readonly Value[] } {
  return list === undefined || list.length === 0 ? {} : ({ [key]: list } as { [Name in Key]?: readonly Value[] }) // the key is the one given
}

/** Every key is supported, refused with an alternative, or left out with a note. */
function judgeKeys(given: Readonly<Record<string, unknown>>, at: string, reading: Reading): void {
  const left = Object.keys(given).filter((key) => Object.hasOwn(DROPPED_KEYS, key) && given[key] !== null)
  for (const key of left) reading.note(`${at}.${key} is ignored: ${DROPPED_KEYS[key]}.`)
  const whyNot = (key: string) => (Object.hasOwn(REFUSED_KEYS, key) ? REFUSED_KEYS[key] : 'is not supported. Remove it')
  reading.each(
    at,
    Object.keys(given).filter((key) => !KNOWN.includes(key) && !isExtension(key)),
    (key) => refuse(`${at}.${key}`, whyNot(key)),
  )
  for (const [key, harmless] of Object.entries(HARMLESS)) {
    const value = given[key]
    if (value !== undefined && value !== null && !(typeof value === 'string' && harmless.test(value)))
      reading.attempt(() => refuse(`${at}.${key}`, whyNot(key)))
  }
  const options = reading.attempt(() => texts(given['security_opt'] ?? [], `${at}.security_opt`)) ?? []
  if (!options.every((option) => /^no-new-privileges([:=]true)?$/.test(option)))
    reading.attempt(() => refuse(`${at}.security_opt`, whyNot('security_opt')))
}

function linkOf(value: unknown, at: string): { service: string; alias: string } {
  const [service = '', alias = service] = scalar(value, at).split(':')
  return { service, alias: matching(alias, at, ALIAS) }
}

function imageOf(value: unknown, at: string): string {
  return parseImageReference(scalar(value, at))?.text ?? refuse(at, 'is not the name of an image')
}
