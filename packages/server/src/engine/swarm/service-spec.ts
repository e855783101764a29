import { isDeepStrictEqual } from 'node:util'
import { items, record } from '../api/json.ts'
import { type ContainerSpec, DROPPED_CAPABILITIES, LOG_CONFIG, NO_COPY, PIDS_LIMIT } from '../container-spec.ts'
import { LABEL, LENT_LABEL, NOT_COMPOSE } from '../labels.ts'
import { constraintsOf } from './nodes.ts'
import type { ServiceFile } from './service-files.ts'

/** Where a container of a release runs in the Swarm, and what the servers pull for it. */
export type ServicePlace = {
  /** With its digest. */
  readonly image: string
  /** The id of the project's overlay network. */
  readonly network: string
  /** Swarm's ids of nodes that already run a replica of it. */
  readonly avoided: readonly string[]
  readonly files?: readonly ServiceFile[]
  /** Only servers that have pulled from this Berth may run it. */
  readonly mustPull?: boolean
}

const SECOND_NS = 1e9
const DEFAULT_GRACE_S = 10
/** After so many failures in so long a time Swarm stops trying: each try takes another address of the network. Reconcile tries again. */
const RESTART = { Delay: 2 * SECOND_NS, MaxAttempts: 5, Window: 120 * SECOND_NS }
/**
 * What has data is started by Berth alone: it asks first whether the volumes are there, and whether anything still uses them. Swarm would start
 * a second container beside the first when a server is back that was only cut off.
 */
const NEVER = { Condition: 'none' }
const CONDITIONS = { no: 'none', 'on-failure': 'on-failure', 'unless-stopped': 'any', always: 'any' } as const

/**
 * Our labels are on the service alone. On its containers they are empty, because a container inherits those of its image, and the engine of
 * this server would list it as one that Berth has created there.
 */
const HIDDEN = Object.fromEntries([...Object.values(LABEL), LENT_LABEL].map((key) => [key, '']))

/** A container of a release as a service with one task. What an app's container may not do, this may not either. */
export function serviceRequest(
  spec: ContainerSpec,
  { image, network, avoided, files = [], mustPull }: ServicePlace,
): Record<string, unknown> {
  const hasVolumes = spec.volumes.length > 0
  if (hasVolumes && spec.servers?.serverId === undefined) throw new Error('volumes are on one server')
  if (files.length !== (spec.files ?? []).length) throw new Error('Swarm must have the files first')
  const limits = {
    Pids: PIDS_LIMIT,
    ...(spec.memoryBytes === undefined ? {} : { MemoryBytes: spec.memoryBytes }),
    ...(spec.cpus === undefined ? {} : { NanoCPUs: Math.round(spec.cpus * 1e9) }),
  }
  return {
    Name: spec.name,
    Labels: { ...spec.labels },
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Labels: { ...NOT_COMPOSE, ...HIDDEN },
        Env: Object.entries(spec.env).map(([key, value]) => withoutTemplates(`${key}=${value}`)),
        // the names differ from those of a container: the entrypoint is the command here
        ...(spec.entrypoint === undefined ? {} : { Command: [...spec.entrypoint] }),
        ...(spec.command === undefined || spec.command.length === 0 ? {} : { Args: [...spec.command] }),
        Healthcheck: { Test: ['NONE'] },
        Init: true,
        StopGracePeriod: (spec.stopGraceSeconds ?? DEFAULT_GRACE_S) * SECOND_NS,
        CapabilityDrop: DROPPED_CAPABILITIES.map((name) => `CAP_${name}`),
        Privileges: { NoNewPrivileges: true },
        ...(files.length === 0 ? {} : { Secrets: files.map(secretOf) }),
        ...(hasVolumes && { Mounts: spec.volumes.map(mountOf(spec)) }),
      },
      Resources: { Limits: limits },
      RestartPolicy: hasVolumes ? NEVER : { Condition: CONDITIONS[spec.restart], ...RESTART },
      Placement: { Constraints: [...constraintsOf(spec.servers ?? {}, mustPull), ...avoided.map((id) => `node.id!=${id}`)] },
      Networks: [{ Target: network, ...(spec.aliases.length === 0 ? {} : { Aliases: [...spec.aliases] }) }],
      LogDriver: { Name: LOG_CONFIG.Type, Options: { ...LOG_CONFIG.Config } },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

/**
 * Swarm executes Go templates in variables, on the managers and on the server of the task: a few hundred characters take all their memory, and
 * others name servers. What would begin an action becomes an action that prints it.
 */
function withoutTemplates(variable: string): string {
  return variable.replaceAll('{{', '{{"{{"}}')
}

/**
 * The engine fills an empty volume from the image, as Berth does on this server, but only for a container that has it for itself: another one
 * could lead it out of the volume meanwhile.
 */
function mountOf({ isAlone = false }: ContainerSpec) {
  return ({ volume, path }: ContainerSpec['volumes'][number]): Record<string, unknown> => {
    return { Type: 'volume', Source: volume, Target: path, ...(!isAlone && { VolumeOptions: NO_COPY }) }
  }
}

/** As on this server it belongs to root. It cannot be changed, since it is not in the container's own file system. */
function secretOf({ id, name, path, mode }: ServiceFile): Record<string, unknown> {
  return { SecretID: id, SecretName: name, File: { Name: path, UID: '0', GID: '0', Mode: mode } }
}

/**
 * The settings that the engine did not store as they were asked for: it silently drops those that it does not know. That containers
 * gain no privileges is a condition of the check that each server has passed, since API 1.41 does not store it.
 */
export function lostSettings(wanted: unknown, stored: unknown, path = ''): string[] {
  if (path === '.TaskTemplate.ContainerSpec.Privileges') return []
  if (Array.isArray(wanted)) {
    const same =
      items(stored).length === wanted.length && wanted.every((each, index) => lostSettings(each, items(stored)[index]).length === 0)
    return same ? [] : [path.slice(1)]
  }
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(wanted, stored) ? [] : [path.slice(1)]
  return Object.entries(wanted).flatMap(([key, value]) => lostSettings(value, record(stored)[key], `${path}.${key}`))
}
