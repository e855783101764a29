import { isStorageFailure } from '../store/storage-failure.ts'
import { createCertificateApplier, type RefusedCertificate } from './certificates/applier.ts'
import type { EdgeChecks } from './checks.ts'
import type { EdgeCertificate } from './edge.ts'
import type { createEdgeFiles } from './files.ts'
import { type MapChange, type MapEntry, mapChanges, RuntimeError } from './haproxy/commands.ts'
import type { HaproxyRuntime } from './haproxy/runtime.ts'
import type { createEdgeProcess } from './host/process.ts'
import { type EdgeMaps, type EdgeWanted, edgeMaps } from './maps.ts'
import { type EdgePaths, MAP_NAMES, type MapName } from './paths.ts'

type Running = {
  paths: EdgePaths
  runtime: HaproxyRuntime
  readCertificate: (path: string) => Promise<string>
  /** Of this control plane: HAProxy's memory names the one that changed it last. */
  instance: string
}
type Deps = Running & {
  files: ReturnType<typeof createEdgeFiles>
  process: ReturnType<typeof createEdgeProcess>
  checks: EdgeChecks
  /** Of an edge elsewhere: the files of these certificates, and no others. */
  bringCertificates?: ((certificates: readonly EdgeCertificate[], when: 'before' | 'after') => Promise<void>) | undefined
  log: { warn(fields: object, message: string): void }
}

/** An entry in HAProxy's memory that is never on disk. If it is missing, HAProxy was restarted. */
const INSTANCE_KEY = '@instance'
/** Visitors cannot reach entries of this map by name. */
const MARKED = 'targets'
const NOT_OURS_TO_REMOVE = new Set([INSTANCE_KEY])

/**
 * Writes the wanted state to disk, then applies it to HAProxy. On a full disk only the first fails: an app that stops or is restored must
 * be routed at once.
 */
export function createApplyWanted({ files, process, checks, bringCertificates, log, ...running }: Deps) {
  const applier = createApplier(running)
  /** Target sets in use until a moment ago: a request that has just read `apps` must still find them in `targets`. */
  let leaving: ReadonlyMap<string, string> = new Map()
  let serving: ReadonlyMap<string, string> = new Map()
  let refused: readonly RefusedCertificate[] = []
  /** Not in the list that HAProxy reads at its start: one of them would keep it from starting. */
  let unlisted: ReadonlySet<string> | undefined

  /** Returns a message for everything that is not served. Rejected items are retried at the next full pass. */
  async function put(wanted: EdgeWanted, isFull: boolean): Promise<string[]> {
    return await putAccepted(wanted, { isFull, leftOut: isFull ? [] : refused })
  }

  /** A certificate that HAProxy rejects is left out, with everything that depends on it. Everything else is served. */
  async function putAccepted(wanted: EdgeWanted, options: { isFull: boolean; leftOut: readonly RefusedCertificate[] }): Promise<string[]> {
    const { isFull, leftOut } = options
    const certificates = wanted.certificates.filter((each) => !includes(leftOut, each))
    const made = edgeMaps({ ...wanted, certificates })
    checks.want(wanted.routes)
    const newlyRefused = await putMaps(made, { certificates, isFull })
    for (const { certificate, reason } of newlyRefused) log.warn({ host: certificate.host, reason }, 'Certificate rejected by HAProxy')
    if (newlyRefused.length > 0) return await putAccepted(wanted, { isFull, leftOut: [...leftOut, ...newlyRefused] })
    refused = leftOut
    await noteRefused()
    return [...made.refused, ...refused.map(({ certificate, reason }) => `The certificate of ${certificate.host}: ${reason}`)]
  }

  async function noteRefused(): Promise<void> {
    const fingerprints = refused.map(({ certificate }) => certificate.fingerprint)
    unlisted = new Set(fingerprints)
    await files.writeRefused(fingerprints).catch(whenDiskRefuses) // costs only time at the next start
  }

  async function putMaps(
    made: EdgeMaps,
    options: { certificates: readonly EdgeCertificate[]; isFull: boolean },
  ): Promise<RefusedCertificate[]> {
    const left = options.isFull ? serving : new Map([...leaving, ...serving])
    const maps = { ...made.maps, targets: new Map([...left, ...made.maps.targets]) }
    const known = (unlisted ??= new Set(await files.readRefused()))
    const listed = options.certificates.filter(({ fingerprint }) => !known.has(fingerprint))
    await bringCertificates?.(options.certificates, 'before')
    const unsaved = await files.write(maps, listed).then(() => undefined, whenDiskRefuses)
    await process.ensure('ours')
    const newlyRefused = await applier.apply(maps, options)
    if (newlyRefused.length > 0) return newlyRefused
    if (listed.length < options.certificates.length) await files.write(maps, options.certificates) // HAProxy takes them after all
    await checks.apply(options)
    await bringCertificates?.(options.certificates, 'after')
    leaving = left
    serving = made.maps.targets
    if (unsaved) throw unsaved // the loop retries until it is on disk as well
    return []
  }

  return { put, isRefused: (certificate: EdgeCertificate) => includes(refused, certificate) }
}

function whenDiskRefuses(cause: unknown): Error {
  if (cause instanceof Error && isStorageFailure(cause)) return cause
  throw cause
}

function includes(refused: readonly RefusedCertificate[], { fingerprint }: EdgeCertificate): boolean {
  return refused.some(({ certificate }) => certificate.fingerprint === fingerprint)
}

/**
 * Brings a running HAProxy to the wanted state with the fewest changes, and reads them back. Returns the certificates that HAProxy
 * rejects. In that case no map was changed, because a host without its certificate is routed differently.
 */
function createApplier({ paths, runtime, readCertificate, instance }: Running) {
  const actual = new Map<MapName, MapEntry[]>()
  const listed = createCertificateApplier({ paths, runtime, readCertificate })

  async function apply(
    wanted: Record<MapName, ReadonlyMap<string, string>>,
    options: { certificates: readonly EdgeCertificate[]; isFull: boolean },
  ): Promise<RefusedCertificate[]> {
    const { certificates, isFull } = options
    try {
      const isSameInstance = (await runtime.getMap(paths.map(MARKED), INSTANCE_KEY)) === instance
      if (isFull || !isSameInstance) actual.clear()
      if (!isSameInstance) listed.invalidate()
      for (const name of MAP_NAMES) if (!actual.has(name)) actual.set(name, await runtime.readMap(paths.map(name)))
      // a host is redirected to https only once its certificate is in place
      const { surplus, refused } = await listed.add(certificates, isFull || !isSameInstance)
      if (refused.length > 0) return refused
      await applyMaps(wanted)
      for (const entry of surplus) await listed.remove(entry)
      if (!isSameInstance) await markInstance()
      return []
    } catch (cause) {
      actual.clear()
      throw cause
    }
  }

  /** An entry is added before anything refers to it, and removed after. */
  async function applyMaps(wanted: Record<MapName, ReadonlyMap<string, string>>): Promise<void> {
    const removals: { name: MapName; changes: MapChange[] }[] = []
    const changed = new Set<MapName>()
    for (const name of MAP_NAMES) {
      const changes = mapChanges(actual.get(name) ?? [], wanted[name], NOT_OURS_TO_REMOVE)
      if (changes.length > 0) changed.add(name)
      await runtime.changeMap(
        paths.map(name),
        changes.filter((change) => change.kind !== 'del'),
      )
      removals.unshift({ name, changes: changes.filter((change) => change.kind === 'del') })
    }
    for (const { name, changes } of removals) await runtime.changeMap(paths.map(name), changes)
    for (const name of changed) await verify(name, wanted[name])
  }

  async function verify(name: MapName, wanted: ReadonlyMap<string, string>): Promise<void> {
    const entries = await runtime.readMap(paths.map(name))
    const left = mapChanges(entries, wanted, NOT_OURS_TO_REMOVE)
    if (left.length > 0) throw new RuntimeError(`${left.length} entries of ${name}.map differ from the wanted state after the change`)
    actual.set(name, entries)
  }

  async function markInstance(): Promise<void> {
    const path = paths.map(MARKED)
    const isThere = (await runtime.getMap(path, INSTANCE_KEY)) !== undefined
    await runtime.changeMap(path, [{ kind: isThere ? 'set' : 'add', key: INSTANCE_KEY, value: instance }])
    actual.set(MARKED, await runtime.readMap(path))
  }

  return { apply }
}
