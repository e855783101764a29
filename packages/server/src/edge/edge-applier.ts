import { readFile } from 'node:fs/promises'
import type { EdgeCertificate } from './edge.ts'
import { type EdgePaths, MAP_NAMES, type MapName } from './edge-paths.ts'
import { type MapChange, type MapEntry, mapChanges } from './haproxy-commands.ts'
import type { HaproxyRuntime } from './haproxy-runtime.ts'
import { RuntimeError } from './runtime-error.ts'

/** An entry that is in HAProxy's memory and never on disk: when it is gone, HAProxy has been restarted. */
const INSTANCE_KEY = '@instance'
const NOT_OURS_TO_REMOVE = new Set([INSTANCE_KEY])
/** Certificates whose contents are compared in one full pass; the next pass takes the following ones. */
const COMPARED_AT_ONCE = 100

/** Brings a running HAProxy from what it holds to what is wanted, with the fewest changes, and reads them back. */
export function createApplier(deps: { paths: EdgePaths; runtime: HaproxyRuntime; instance: string }) {
  const { paths, runtime, instance } = deps
  const actual = new Map<MapName, MapEntry[]>()
  const loaded = new Map<string, string>()
  let compareFrom = 0

  async function apply(
    wanted: Record<MapName, ReadonlyMap<string, string>>,
    options: { certificates: readonly EdgeCertificate[]; isFull: boolean },
  ): Promise<void> {
    const { certificates, isFull } = options
    try {
      const isSameInstance = (await runtime.getMap(paths.map('challenges'), INSTANCE_KEY)) === instance
      if (isFull || !isSameInstance) actual.clear()
      if (!isSameInstance) loaded.clear()
      for (const name of MAP_NAMES) if (!actual.has(name)) actual.set(name, await runtime.readMap(paths.map(name)))
      // a host is sent to https only once its certificate is there
      const surplus = await addCertificates(certificates, isFull || !isSameInstance)
      await applyMaps(wanted)
      for (const entry of surplus) await removeCertificate(entry)
      if (!isSameInstance) await markInstance()
    } catch (cause) {
      actual.clear()
      throw cause
    }
  }

  /** What is pointed at comes before the pointer, and goes after it. */
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
    if (left.length > 0) throw new RuntimeError(`${left.length} entries of ${name}.map are not as wanted after the change`)
    actual.set(name, entries)
  }

  async function addCertificates(certificates: readonly EdgeCertificate[], isFull: boolean) {
    if (isFull) await compareContents(certificates)
    const listed = await runtime.listCertificates(paths.certificateList)
    const inUse = new Set(listed.map(({ path, host }) => `${path} ${host}`))
    for (const { path, host, fingerprint } of certificates) {
      if (loaded.get(path) !== fingerprint) await runtime.putCertificate(path, await readFile(path, 'utf8'))
      loaded.set(path, fingerprint)
      if (!inUse.has(`${path} ${host}`)) await runtime.addToList(paths.certificateList, { path, host })
    }
    const wanted = new Set(certificates.map(({ path, host }) => `${path} ${host}`))
    return listed.filter(({ path, host }) => !wanted.has(`${path} ${host}`))
  }

  /** Everything once after a restart of either side, and then a part at a time: thousands of certificates are slow to list. */
  async function compareContents(certificates: readonly EdgeCertificate[]): Promise<void> {
    const paths = certificates.map(({ path }) => path)
    const unknown = paths.filter((path) => !loaded.has(path))
    const part = paths.slice(compareFrom, compareFrom + COMPARED_AT_ONCE)
    compareFrom = compareFrom + COMPARED_AT_ONCE < paths.length ? compareFrom + COMPARED_AT_ONCE : 0
    const looked = [...new Set([...unknown, ...part])]
    for (const path of looked) loaded.delete(path)
    for (const [path, fingerprint] of await runtime.certificateFingerprints(looked)) loaded.set(path, fingerprint)
  }

  async function removeCertificate(entry: { path: string; line: number }): Promise<void> {
    await runtime.removeFromList(paths.certificateList, entry)
    loaded.delete(entry.path)
    await runtime.deleteCertificate(entry.path)
  }

  async function markInstance(): Promise<void> {
    const path = paths.map('challenges')
    const isThere = (await runtime.getMap(path, INSTANCE_KEY)) !== undefined
    await runtime.changeMap(path, [{ kind: isThere ? 'set' : 'add', key: INSTANCE_KEY, value: instance }])
    actual.set('challenges', await runtime.readMap(path))
  }

  return { apply }
}
