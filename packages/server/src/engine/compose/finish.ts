import type { MountRead } from './mounts.ts'
import { type Reading, refuse } from './refuse.ts'
import { type LookUp, repositoryPath } from './repository.ts'
import type { ServiceRead } from './service.ts'
import type { PlacedFile, StackMount, StackService } from './stack.ts'
import { anonymousVolume, contentVolume, folderVolume, namedVolume, volumeOfReplica } from './volume-names.ts'

type Context = {
  readonly image: string
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly prefix: string
  readonly directory: string
  readonly lookUp: LookUp
  readonly reading: Reading
}

const MOST_MOUNTS = 100

/** A service as it will run, with the platform's own limits, ports and volumes. */
export function finishedService(service: ServiceRead, context: Context): StackService {
  const { build, expose: _expose, links: _links, mounts: given, files: named, ports: _ports, readOnly, platform, ...read } = service
  const { reading } = context
  if (given.length > MOST_MOUNTS) refuse(`services.${service.name}.volumes`, `has more than ${MOST_MOUNTS} entries`)
  const memory = [service.memoryBytes, context.memoryBytes].filter((bytes) => bytes !== undefined)
  const cpus = [service.cpus, context.cpus].filter((amount) => amount !== undefined)
  const tmpfs = [
    ...(service.tmpfs ?? []),
    ...given.flatMap((mount) => (mount.kind === 'tmpfs' ? [{ path: mount.path, options: mount.options }] : [])),
  ]
  const placed = reading.each(`services.${service.name}.volumes`, given, (mount) => placeOf(service.name, mount, context))
  const files = [...named, ...placed.flatMap((place) => ('file' in place ? [place.file] : []))]
  if (readOnly && files.length > 0)
    reading.note(`services.${service.name}.read_only is ignored, because files are copied into the container.`)
  const mounts = placed.flatMap((place) => ('mount' in place ? [place.mount] : []))
  noteSharing(service, mounts, reading)
  if (build !== null && platform !== undefined)
    reading.note(`services.${service.name}.platform is ignored: its image is built for this server.`)
  return {
    ...read,
    ...calmChecks(service, reading),
    image: context.image,
    ...(build === null && platform !== undefined && { platform }),
    environment: service.environment ?? {},
    restart: service.restart ?? { policy: 'no' },
    ...(tmpfs.length > 0 && { tmpfs }),
    ...(files.length > 0 && { files }),
    ...(readOnly && files.length === 0 && { readOnly }),
    mounts,
    ports: [],
    ...(memory.length > 0 && { memoryBytes: Math.min(...memory) }),
    ...(cpus.length > 0 && { cpus: Math.min(...cpus) }),
  }
}

/** Each check is a process of the engine, outside the limits of the service: all replicas together have two a second. */
function calmChecks({ name, replicas = 1, healthcheck }: ServiceRead, reading: Reading): Pick<ServiceRead, 'healthcheck'> {
  const leastMs = replicas * 500
  if (healthcheck?.intervalMs === undefined || healthcheck.intervalMs >= leastMs) return {}
  reading.note(`services.${name}.healthcheck.interval is raised to ${leastMs / 1000}s, because the service has ${replicas} replicas.`)
  return { healthcheck: { ...healthcheck, intervalMs: leastMs } }
}

function noteSharing({ name, replicas = 1 }: ServiceRead, mounts: readonly StackMount[], reading: Reading): void {
  const isShared = mounts.some(({ volume, readOnly }) => !readOnly && volumeOfReplica('', volume, 2) === volume)
  if (replicas > 1 && isShared)
    reading.note(`services.${name} has ${replicas} replicas that share the same volumes. Make sure that it supports this.`)
}

type Place = { readonly mount: StackMount } | { readonly file: PlacedFile } | Record<string, never>

function placeOf(service: string, mount: MountRead, context: Context): Place {
  if (mount.kind === 'tmpfs') return {}
  if (mount.kind === 'repository') return fromRepository(service, mount, context)
  const { kind: _kind, source, ...rest } = mount
  const { prefix } = context
  return { mount: { volume: source === undefined ? anonymousVolume(prefix, service, mount.path) : namedVolume(prefix, source), ...rest } }
}

/** Files and read-only folders always come from the deployed commit. A writable folder is data once it was used. */
function fromRepository(service: string, mount: Extract<MountRead, { kind: 'repository' }>, context: Context): Place {
  const at = `services.${service}.volumes`
  const { path, readOnly } = mount
  const { prefix, reading } = context
  const source = repositoryPath(mount.source, at, context.directory)
  const entry = context.lookUp(source)
  if (entry.kind === 'refused') return refuse(`${at} (${mount.source})`, entry.why)
  if (entry.kind === 'file') {
    if (!readOnly) reading.note(`${at}: ${source} is copied into the container from the commit; changes to it are lost with the container.`)
    return { file: { path, mode: entry.mode, blob: entry.blob } }
  }
  const files = entry.kind === 'directory' ? entry.files : []
  if (readOnly && files.length > 0)
    return { mount: { volume: contentVolume(prefix, files), path, readOnly, noCopy: true, fill: { files, once: false } } }
  reading.note(
    files.length === 0
      ? `${at}: ${source} has no files in the repository, so it becomes an empty volume, which is kept.`
      : `${at}: ${source} becomes a volume, filled from the commit the first time and kept from then on. Append :ro to get the files of each commit instead.`,
  )
  const fill = files.length > 0 && { noCopy: true, fill: { files, once: true } }
  return { mount: { volume: folderVolume(prefix, source), path, ...(readOnly && { readOnly }), ...fill } }
}
