import { isIP, isIPv4 } from 'node:net'
import { items, record, text } from './api/json.ts'
import { HARMLESS_CAPABILITIES, isPublicAddress, isSysctl } from './compose/limits.ts'
import type { StackHealthcheck, StackService } from './compose/stack.ts'
import {
  areOurLabels,
  DROPPED_CAPABILITIES,
  ENV_ENTRY,
  IMAGE,
  isOurAddress,
  LOG_CONFIG,
  NO_COPY,
  OOM_SCORE,
  PIDS_LIMIT,
} from './container-spec.ts'
import { composeProjectName, LABEL, LENT_LABEL, NOT_COMPOSE } from './labels.ts'
import { type Check, checkKeys, hasOnly, isEvery, isSame, isText, isWhole, refuseKey } from './request-checks.ts'

/** What a container of a compose app may be. */
export type StackContainerSpec = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly service: StackService
  /** The app's own network, where its services reach each other by name. */
  readonly network: string
  /** Among all apps of the project, for services that visitors reach. `turn` as for every other container. */
  readonly project?: { readonly network: string; readonly alias: string | null; readonly turn: number }
  /** An archive that is written into it before it starts. */
  readonly files?: Buffer
}

const NANOSECONDS = 1e6

export function stackRequest({ labels, service, network }: StackContainerSpec): Record<string, unknown> {
  const given = <Value>(key: string, value: Value | undefined) => (value === undefined ? {} : { [key]: value })
  return {
    Image: service.image,
    Env: Object.entries(service.environment).map(([key, value]) => `${key}=${value}`),
    Labels: { ...NOT_COMPOSE, [LENT_LABEL]: '', ...labels },
    ...given('Cmd', service.command),
    ...given('Entrypoint', service.entrypoint),
    ...given('WorkingDir', service.workingDir),
    ...given('User', service.user),
    ...given('Hostname', service.hostname),
    ...given('Tty', service.tty),
    ...given('OpenStdin', service.stdinOpen),
    ...given('StopSignal', service.stopSignal),
    ...given('StopTimeout', service.stopGraceSeconds),
    ...given('Healthcheck', service.healthcheck && healthcheckRequest(service.healthcheck)),
    ...(service.ports.length === 0 ? {} : { ExposedPorts: Object.fromEntries(service.ports.map((port) => [portKey(port), {}])) }),
    HostConfig: { NetworkMode: network, ...hostRequest(service) },
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [...new Set([service.name, ...service.aliases])] } } },
  }
}

function hostRequest(service: StackService): Record<string, unknown> {
  const { memoryBytes, cpus, restart, ports, tmpfs = [] } = service
  return {
    Mounts: service.mounts.map(({ volume, path, readOnly }) => ({
      Type: 'volume',
      Source: volume,
      Target: path,
      ...(readOnly && { ReadOnly: true }),
      VolumeOptions: NO_COPY,
    })),
    ...(tmpfs.length > 0 && { Tmpfs: Object.fromEntries(tmpfs.map(({ path, options }) => [path, options])) }),
    ...(service.readOnly && { ReadonlyRootfs: true }),
    ...(service.shmBytes !== undefined && { ShmSize: service.shmBytes }),
    // Swap equal to memory: a container over its limit is killed instead of dragging the machine down.
    ...(memoryBytes !== undefined && { Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
    ...(ports.length > 0 && { PortBindings: bindingsOf(ports) }),
    PidsLimit: PIDS_LIMIT,
    OomScoreAdj: OOM_SCORE,
    RestartPolicy: { Name: restart.policy, MaximumRetryCount: restart.retries ?? 0 },
    LogConfig: LOG_CONFIG,
    CapDrop: [...new Set([...DROPPED_CAPABILITIES, ...service.capDrop])],
    ...(service.capAdd && { CapAdd: [...service.capAdd] }),
    ...(service.ulimits && { Ulimits: service.ulimits.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })) }),
    ...(service.sysctls && { Sysctls: { ...service.sysctls } }),
    ...(service.extraHosts && { ExtraHosts: [...service.extraHosts] }),
    SecurityOpt: ['no-new-privileges'],
    Init: true,
  }
}

function healthcheckRequest({ test, intervalMs, timeoutMs, startPeriodMs, retries }: StackHealthcheck): Record<string, unknown> {
  return {
    ...(test && { Test: [...test] }),
    ...(intervalMs !== undefined && { Interval: intervalMs * NANOSECONDS }),
    ...(timeoutMs !== undefined && { Timeout: timeoutMs * NANOSECONDS }),
    ...(startPeriodMs !== undefined && { StartPeriod: startPeriodMs * NANOSECONDS }),
    ...(retries !== undefined && { Retries: retries }),
  }
}

const portKey = ({ container, protocol }: StackService['ports'][number]) => `${container}/${protocol}`

function bindingsOf(ports: StackService['ports']): Record<string, unknown> {
  const byKey = Map.groupBy(ports, portKey)
  return Object.fromEntries(
    [...byKey].map(([key, bound]) => [key, bound.map(({ host, hostIp }) => ({ HostIp: hostIp, HostPort: String(host) }))]),
  )
}

/** The endpoint that a service gets among all apps of its project. Only the one that has the app's port has a name there. */
export function projectEndpoint(alias: string | null, address: string | undefined): Record<string, unknown> {
  return { Aliases: alias === null ? [] : [alias], ...(address === undefined ? {} : { IPAMConfig: { IPv4Address: address } }) }
}

const OUR_NETWORK = /^berth-[a-z0-9]{1,24}-app-[1-9]\d*-network$/
const ALIAS = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
const PATH = /^(\/[A-Za-z0-9._@+-]+)+$/
/** Where the kernel and the engine have their own things in a container. */
const KERNEL_PATH = /^\/(proc|sys|dev|run|var\/run)(\/|$)/
const TMPFS_OPTIONS = /^((size|mode|uid|gid)=[0-9]{1,13}[kmgKMG]?|rw|exec|noexec|nosuid|nodev|,)*$/
const TMPFS_TOO = /^\/(dev\/shm|run|var\/run)(\/|$)/
/** Volumes that the engine named itself, for a container of the same app that Compose made. */
const NAMELESS = /^[0-9a-f]{64}$/
const isBool: Check = (value) => typeof value === 'boolean'
const isWords = isEvery((value) => typeof value === 'string')

const HOST_KEYS: Readonly<Record<string, Check>> = {
  NetworkMode: isText(OUR_NETWORK),
  Mounts: isEvery((mount) => hasOnly(mount, ['Type', 'Source', 'Target', 'ReadOnly', 'VolumeOptions']) && isSafeMount(record(mount))),
  Tmpfs: (value) => Object.entries(record(value)).every(([path, options]) => isSafePath(path, TMPFS_TOO) && isText(TMPFS_OPTIONS)(options)),
  ReadonlyRootfs: isSame(true),
  ShmSize: isWhole(4096),
  Memory: isWhole(4 * 1024 * 1024),
  MemorySwap: isWhole(4 * 1024 * 1024),
  NanoCpus: isWhole(1),
  PortBindings: (value) =>
    Object.entries(record(value)).every(([key, bound]) => /^\d{1,5}\/(tcp|udp)$/.test(key) && isEvery(isOurBinding)(bound)),
  PidsLimit: isSame(PIDS_LIMIT),
  OomScoreAdj: isSame(OOM_SCORE),
  RestartPolicy: (value) =>
    hasOnly(value, ['Name', 'MaximumRetryCount']) && isText(/^(no|on-failure|unless-stopped|always)$/)(record(value)['Name']),
  LogConfig: isSame(LOG_CONFIG),
  CapDrop: (value) => isEvery(isText(/^[A-Z_]{2,40}$/))(value) && DROPPED_CAPABILITIES.every((dropped) => items(value).includes(dropped)),
  CapAdd: isEvery((value) => HARMLESS_CAPABILITIES.includes(text(value))),
  Ulimits: isEvery(
    (value) => hasOnly(value, ['Name', 'Soft', 'Hard']) && isText(/^(nofile|nproc|memlock|stack|core)$/)(record(value)['Name']),
  ),
  Sysctls: (value) => Object.entries(record(value)).every(([key, entry]) => isSysctl(key, text(entry))),
  ExtraHosts: isEvery((value) => isPublicAddress(/^[A-Za-z0-9._-]+:(.+)$/.exec(text(value))?.[1] ?? '')),
  SecurityOpt: isSame(['no-new-privileges']),
  Init: isSame(true),
}

const KEYS: Readonly<Record<string, Check>> = {
  Image: isText(IMAGE),
  Env: isEvery(isText(ENV_ENTRY)),
  Labels: (value) => areOurLabels(value) && Object.values(LABEL).every((key) => text(record(value)[key]) !== ''),
  Cmd: isWords,
  Entrypoint: isWords,
  WorkingDir: isText(/^\/[A-Za-z0-9._@+/-]*$/),
  User: isText(/^[A-Za-z0-9_-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/),
  Hostname: isText(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/),
  Tty: isBool,
  OpenStdin: isBool,
  StopSignal: isText(/^[A-Z0-9+]{1,16}$/),
  StopTimeout: isWhole(0),
  Healthcheck: isOurHealthcheck,
  ExposedPorts: (value) => Object.entries(record(value)).every(([key, empty]) => /^\d{1,5}\/(tcp|udp)$/.test(key) && isSame({})(empty)),
  HostConfig: (value) => typeof value === 'object' && value !== null,
  NetworkingConfig: (value) => hasOnly(value, ['EndpointsConfig']),
}

const NEEDED = ['Image', 'Labels', 'HostConfig', 'NetworkingConfig'] as const
const NEEDED_OF_HOST = [
  'NetworkMode',
  'Mounts',
  'Memory',
  'MemorySwap',
  'PidsLimit',
  'OomScoreAdj',
  'RestartPolicy',
  'LogConfig',
  'CapDrop',
  'SecurityOpt',
  'Init',
] as const

/** The last look at the final request, by allow list. Volumes and network are those of the very app that the labels name. */
export function assertStackAllowed(request: Readonly<Record<string, unknown>>): void {
  checkKeys(request, { checks: KEYS, needed: NEEDED, path: '' })
  const host = record(request['HostConfig'])
  checkKeys(host, { checks: HOST_KEYS, needed: NEEDED_OF_HOST, path: 'HostConfig.' })
  const labels = record(request['Labels'])
  const own = composeProjectName(text(labels[LABEL.instance]), Number(labels[LABEL.app]))
  if (host['NetworkMode'] !== `${own}-network`) refuseKey('HostConfig.NetworkMode')
  if (!items(host['Mounts']).every((mount) => isOwnVolume(text(record(mount)['Source']), own))) refuseKey('HostConfig.Mounts')
  const endpoints = record(record(request['NetworkingConfig'])['EndpointsConfig'])
  const isOnly = isSame([`${own}-network`])(Object.keys(endpoints))
  if (!isOnly || !Object.values(endpoints).every(isEndpoint)) refuseKey('NetworkingConfig')
}

/** The same for the network of the project. */
export function assertEndpointAllowed(endpoint: Readonly<Record<string, unknown>>): void {
  if (!isEndpoint(endpoint)) refuseKey('EndpointConfig')
}

function isEndpoint(value: unknown): boolean {
  const endpoint = record(value)
  const isAlias = (alias: unknown) => isText(ALIAS)(alias) && isIP(text(alias)) === 0
  return hasOnly(value, ['Aliases', 'IPAMConfig']) && isOurAddress(endpoint['IPAMConfig']) && isEvery(isAlias)(endpoint['Aliases'])
}

function isOwnVolume(name: string, own: string): boolean {
  return (
    NAMELESS.test(name) || (name.startsWith(own) && /^(_[A-Za-z0-9][A-Za-z0-9_.-]{0,62}|-[vbf][0-9a-f]{16})$/.test(name.slice(own.length)))
  )
}

function isSafeMount(mount: Readonly<Record<string, unknown>>): boolean {
  const { Type, Target, ReadOnly, VolumeOptions } = mount
  return Type === 'volume' && isSafePath(text(Target)) && (ReadOnly === undefined || ReadOnly === true) && isSame(NO_COPY)(VolumeOptions)
}

/** A place in a container that is the app's own to decide on. */
export function isSafePath(path: string, allowed?: RegExp): boolean {
  if (!PATH.test(path.replace(/\/$/, '')) || path.split('/').some((part) => part === '..' || part === '.')) return false
  return allowed?.test(path) === true || !KERNEL_PATH.test(path)
}

function isOurBinding(value: unknown): boolean {
  const { HostIp, HostPort } = record(value)
  const port = Number(HostPort)
  return hasOnly(value, ['HostIp', 'HostPort']) && (HostIp === '' || isIPv4(text(HostIp))) && port >= 1024 && port <= 65_535
}

function isOurHealthcheck(value: unknown): boolean {
  const { Test, Interval, Timeout, StartPeriod, Retries } = record(value)
  const isTime = (least: number) => (time: unknown) => time === undefined || isWhole(least)(time)
  return (
    hasOnly(value, ['Test', 'Interval', 'Timeout', 'StartPeriod', 'Retries']) &&
    (Test === undefined || (isWords(Test) && ['CMD', 'CMD-SHELL', 'NONE'].includes(text(items(Test)[0])))) &&
    isTime(1000 * NANOSECONDS)(Interval) &&
    [Timeout, StartPeriod, Retries].every(isTime(0))
  )
}
