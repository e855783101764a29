import { selfSignedCertificate } from './certificates/placeholder.ts'
import type { EdgeCertificate } from './edge.ts'
import type { Checked } from './haproxy/checks.ts'
import { createMirror, type EdgeDisk } from './map-files.ts'
import { certificateListFile, mapFile } from './maps.ts'
import { edgePages } from './pages.ts'
import { type EdgePaths, MAP_NAMES, type MapName } from './paths.ts'

const TEN_YEARS_MS = 3_652 * 86_400_000

/**
 * Everything HAProxy reads when it starts. It is written to disk before HAProxy is updated, so that a restart results in the same state.
 */
export function createEdgeFiles(deps: {
  paths: EdgePaths
  config: () => string
  checked: () => Checked | undefined
  disk: EdgeDisk
  now: () => Date
}) {
  const { paths, config, checked, disk, now } = deps
  const mirror = createMirror(disk)
  let isPrepared = false

  /** The minimum HAProxy needs to start. Existing maps and certificates are left alone. */
  async function prepare(): Promise<void> {
    if (isPrepared) return
    await disk.makeDirectories([paths.runDir, paths.mapsDir, paths.pagesDir, paths.certificatesDir])
    for (const [file, text] of edgePages()) await mirror.put(paths.page(file), text)
    for (const path of [...MAP_NAMES.map(paths.map), paths.certificateList]) {
      if (!(await disk.isThere(path))) await mirror.put(path, '')
    }
    if (!(await disk.isThere(paths.placeholder))) {
      const notBefore = now()
      const notAfter = new Date(notBefore.getTime() + TEN_YEARS_MS)
      await mirror.put(paths.placeholder, selfSignedCertificate({ host: 'placeholder.invalid', notBefore, notAfter }))
    }
    await writeConfig()
    isPrepared = true
  }

  /** What it checks is in both: the map names a backend, and the configuration what that checks. */
  async function writeConfig(): Promise<void> {
    const checks = checked()
    if (checks !== undefined) await mirror.put(paths.checks, mapFile(checks))
    await mirror.put(paths.config, config())
  }

  /** In dependency order: an entry is written before anything refers to it. */
  async function write(maps: Record<MapName, ReadonlyMap<string, string>>, certificates: readonly EdgeCertificate[]): Promise<void> {
    await mirror.put(paths.certificateList, certificateListFile(certificates))
    for (const name of MAP_NAMES) await mirror.put(paths.map(name), mapFile(maps[name]))
    await writeConfig()
  }

  /** The fingerprints of the certificates that HAProxy refused, so that the next start does not try them all over. */
  async function readRefused(): Promise<readonly string[]> {
    return ((await disk.read(paths.refusedCertificates)) ?? '').split('\n').filter((line) => line !== '')
  }

  async function writeRefused(fingerprints: readonly string[]): Promise<void> {
    await mirror.put(paths.refusedCertificates, fingerprints.map((each) => `${each}\n`).join(''))
  }

  /**
   * While HAProxy reads its files: a single certificate it cannot use keeps it from starting at all. Once it runs, it rejects only that
   * one.
   */
  async function withoutCertificates<Result>(read: () => Promise<Result>): Promise<Result> {
    const list = (await disk.read(paths.certificateList)) ?? ''
    await mirror.put(paths.certificateList, '')
    try {
      return await read()
    } finally {
      await mirror.put(paths.certificateList, list)
    }
  }

  /** Forces the next write to read the disk first, in case somebody else has changed it. */
  function invalidate(): void {
    isPrepared = false
    mirror.invalidate()
  }

  return { prepare, write, readRefused, writeRefused, withoutCertificates, invalidate }
}
