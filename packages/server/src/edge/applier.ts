import { createCertificateApplier, type RefusedCertificate } from './certificates/applier.ts'
import type { EdgeCertificate } from './edge.ts'
import { type MapChange, type MapEntry, mapChanges, RuntimeError } from './haproxy/commands.ts'
import type { HaproxyRuntime } from './haproxy/runtime.ts'
import { type EdgePaths, MAP_NAMES, type MapName } from './paths.ts'

/** An entry in HAProxy's memory that is never on disk. If it is missing, HAProxy was restarted. */
const INSTANCE_KEY = '@instance'
/** Visitors cannot reach entries of this map by name. */
const MARKED = 'targets'
const NOT_OURS_TO_REMOVE = new Set([INSTANCE_KEY])

/**
 * Brings a running HAProxy to the wanted state with the fewest changes, and reads them back. Returns the certificates that HAProxy
 * rejects. In that case no map was changed, because a host without its certificate is routed differently.
 */
export function createApplier(deps: { paths: EdgePaths; runtime: HaproxyRuntime; instance: string }) {
  const { paths, runtime, instance } = deps
  const actual = new Map<MapName, MapEntry[]>()
  const listed = createCertificateApplier({ paths, runtime })

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
