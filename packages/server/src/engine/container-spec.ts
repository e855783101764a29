import { isIP } from 'node:net'
import { items, record, text } from './api/json.ts'
import type { PlainFile } from './build/tar.ts'
import { LENT_LABEL, NOT_COMPOSE } from './labels.ts'
import { type Check, checkKeys, hasOnly, isEvery, isSame, isText, isWhole, refuseKey } from './request-checks.ts'
import { isAppAddress } from './subnets.ts'
import type { AllowedServers } from './swarm/nodes.ts'

/** The settings an app's container can have. Anything not listed here is impossible. */
export type ContainerSpec = {
  readonly name: string
  readonly image: string
  readonly labels: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  /** Replaces the entrypoint of the image. */
  readonly entrypoint?: readonly string[]
  readonly network: string
  /** Increases with every release, and determines where in the network its address is. Without it the engine chooses. */
  readonly turn?: number
  readonly aliases: readonly string[]
  readonly volumes: readonly { readonly volume: string; readonly path: string }[]
  /** Whether no other container may have its volumes while it runs. */
  readonly isAlone?: boolean
  /** Written into the container before it starts, so that nothing of them is in the image or in what the engine tells about it. */
  readonly files?: readonly PlainFile[]
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly restart: 'no' | 'on-failure' | 'unless-stopped' | 'always'
  readonly stopGraceSeconds?: number
  /** Swarm decides on which of these servers it runs. Without them it runs on this one. */
  readonly servers?: AllowedServers
}

/** The engine copies nothing into a volume: `volume-contents.ts` says why. */
export const NO_COPY = { NoCopy: true } as const
const NO_HEALTHCHECK = { Test: ['NONE'] } as const
export const DROPPED_CAPABILITIES = ['NET_RAW', 'MKNOD'] as const
export const PIDS_LIMIT = 512
/**
 * When the machine has no memory left, the kernel ends the largest process. An app can have hundreds of small ones, so those of apps count
 * as larger: half of the machine's memory is added. Otherwise Berth, the edge and the engine would end first.
 */
export const OOM_SCORE = 500
export const LOG_CONFIG = { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } } as const

export function containerRequest(spec: ContainerSpec, address?: string): Record<string, unknown> {
  const endpoint = { Aliases: [...spec.aliases], ...(address === undefined ? {} : { IPAMConfig: { IPv4Address: address } }) }
  return {
    Image: spec.image,
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Labels: { ...NOT_COMPOSE, [LENT_LABEL]: '', ...spec.labels },
    // We check health from outside. A check of the image itself could run a thousand times a second, outside the container's limits.
    Healthcheck: NO_HEALTHCHECK,
    ...(spec.command === undefined ? {} : { Cmd: [...spec.command] }),
    ...(spec.entrypoint === undefined ? {} : { Entrypoint: [...spec.entrypoint] }),
    ...(spec.stopGraceSeconds === undefined ? {} : { StopTimeout: spec.stopGraceSeconds }),
    HostConfig: {
      NetworkMode: spec.network,
      Mounts: spec.volumes.map(({ volume, path }) => ({ Type: 'volume', Source: volume, Target: path, VolumeOptions: NO_COPY })),
      // Swap equal to memory: a container over its limit is killed instead of dragging the machine down.
      ...(spec.memoryBytes === undefined ? {} : { Memory: spec.memoryBytes, MemorySwap: spec.memoryBytes }),
      ...(spec.cpus === undefined ? {} : { NanoCpus: Math.round(spec.cpus * 1e9) }),
      PidsLimit: PIDS_LIMIT,
      OomScoreAdj: OOM_SCORE,
      RestartPolicy: { Name: spec.restart, MaximumRetryCount: 0 },
      LogConfig: LOG_CONFIG,
      CapDrop: [...DROPPED_CAPABILITIES],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
    },
    NetworkingConfig: { EndpointsConfig: { [spec.network]: endpoint } },
  }
}

const OUR_NAME = /^berth-[a-z0-9]{1,24}-(app|project)-[1-9]\d*(-[a-z0-9-]{1,40})?$/
const ALIAS = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
export const IMAGE = /^[a-z0-9][a-zA-Z0-9._/:@-]{0,254}$/
// oxlint-disable-next-line no-control-regex -- NUL is what must not be in an environment
export const ENV_ENTRY = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}=[^\u0000]*$/

const HOST_KEYS: Readonly<Record<string, Check>> = {
  NetworkMode: isText(OUR_NAME),
  Mounts: isEvery(isOurMount),
  Memory: isWhole(4 * 1024 * 1024),
  MemorySwap: isWhole(4 * 1024 * 1024),
  NanoCpus: isWhole(1),
  PidsLimit: isSame(PIDS_LIMIT),
  OomScoreAdj: isSame(OOM_SCORE),
  RestartPolicy: (value) =>
    hasOnly(value, ['Name', 'MaximumRetryCount']) && isText(/^(no|on-failure|unless-stopped|always)$/)(record(value)['Name']),
  LogConfig: isSame(LOG_CONFIG),
  CapDrop: isSame(DROPPED_CAPABILITIES),
  SecurityOpt: isSame(['no-new-privileges']),
  Init: isSame(true),
}

const KEYS: Readonly<Record<string, Check>> = {
  Image: isText(IMAGE),
  Env: isEvery(isText(ENV_ENTRY)),
  Labels: areOurLabels,
  Healthcheck: isSame(NO_HEALTHCHECK),
  Cmd: isEvery((value) => typeof value === 'string'),
  Entrypoint: isEvery((value) => typeof value === 'string'),
  StopTimeout: isWhole(0),
  HostConfig: (value) => typeof value === 'object' && value !== null,
  NetworkingConfig: isOurNetworking,
}

const NEEDED = ['Image', 'Labels', 'Healthcheck', 'HostConfig', 'NetworkingConfig'] as const
const NEEDED_OF_HOST = [
  'NetworkMode',
  'Mounts',
  'PidsLimit',
  'OomScoreAdj',
  'RestartPolicy',
  'LogConfig',
  'CapDrop',
  'SecurityOpt',
  'Init',
] as const

/** The last check of the final request, by allow list, so that equivalent fields nobody thought of are refused as well. */
export function assertAllowed(request: Readonly<Record<string, unknown>>): void {
  checkKeys(request, { checks: KEYS, needed: NEEDED, path: '' })
  const host = record(request['HostConfig'])
  checkKeys(host, { checks: HOST_KEYS, needed: NEEDED_OF_HOST, path: 'HostConfig.' })
  const networks = Object.keys(record(record(request['NetworkingConfig'])['EndpointsConfig']))
  if (networks.length !== 1 || networks[0] !== host['NetworkMode']) refuseKey('NetworkingConfig')
}

export function areOurLabels(value: unknown): boolean {
  const labels = record(value)
  return (
    Object.values(labels).every((entry) => typeof entry === 'string') &&
    text(labels['berth.instance']) !== '' &&
    labels[LENT_LABEL] === '' &&
    Object.keys(NOT_COMPOSE).every((key) => labels[key] === '')
  )
}

const SYSTEM_PATH = /^\/(proc|sys|dev|etc|run|var\/run|bin|sbin|lib|lib64|usr)?(\/|$)/
const DATA_PATH = /^(\/[A-Za-z0-9._-]+)+$/

function isOurMount(value: unknown): boolean {
  const mount = record(value)
  const target = text(mount['Target'])
  const isSafe = DATA_PATH.test(target) && !target.split('/').includes('..') && !isSystemPath(target)
  const isOurs = mount['Type'] === 'volume' && OUR_NAME.test(text(mount['Source'])) && isSame(NO_COPY)(mount['VolumeOptions'])
  return hasOnly(value, ['Type', 'Source', 'Target', 'VolumeOptions']) && isOurs && isSafe
}

function isSystemPath(target: string): boolean {
  // Data may be below /usr (/usr/share/x/data) and /etc/x; only the top directories themselves would hide the image's own files.
  return (
    ['/proc', '/sys', '/dev', '/run', '/var/run'].some((root) => target === root || target.startsWith(`${root}/`)) ||
    (SYSTEM_PATH.test(target) && target.split('/').length <= 2)
  )
}

function isOurNetworking(value: unknown): boolean {
  if (!hasOnly(value, ['EndpointsConfig'])) return false
  return Object.values(record(record(value)['EndpointsConfig'])).every(
    (endpoint) =>
      hasOnly(endpoint, ['Aliases', 'IPAMConfig']) &&
      isOurAddress(record(endpoint)['IPAMConfig']) &&
      items(record(endpoint)['Aliases']).every((alias) => isText(ALIAS)(alias) && isIP(text(alias)) === 0),
  )
}

export function isOurAddress(value: unknown): boolean {
  return value === undefined || (hasOnly(value, ['IPv4Address']) && isAppAddress(text(record(value)['IPv4Address'])))
}
