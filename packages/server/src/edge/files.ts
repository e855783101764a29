import { selfSignedCertificate } from './certificates/placeholder.ts'
import type { EdgeCertificate } from './edge.ts'
import { createMirror, makeDirectories, readIfThere } from './map-files.ts'
import { certificateListFile, mapFile } from './maps.ts'
import { edgePages } from './pages.ts'
import { type EdgePaths, MAP_NAMES, type MapName } from './paths.ts'

const TEN_YEARS_MS = 3_652 * 86_400_000

/**
 * Everything HAProxy reads when it starts. It is written to disk before HAProxy is updated, so that a restart results in the same state.
 */
export function createEdgeFiles(deps: { paths: EdgePaths; config: string; now: () => Date }) {
  const { paths, config, now } = deps
  const mirror = createMirror()
  let isPrepared = false

  /** The minimum HAProxy needs to start. Existing maps and certificates are left alone. */
  async function prepare(): Promise<void> {
    if (isPrepared) return
    await makeDirectories([paths.runDir, paths.mapsDir, paths.pagesDir, paths.certificatesDir])
    for (const [file, text] of edgePages()) await mirror.put(paths.page(file), text)
    for (const path of [...MAP_NAMES.map(paths.map), paths.certificateList]) {
      if ((await readIfThere(path)) === undefined) await mirror.put(path, '')
    }
    if ((await readIfThere(paths.placeholder)) === undefined) {
      const notBefore = now()
      const notAfter = new Date(notBefore.getTime() + TEN_YEARS_MS)
      await mirror.put(paths.placeholder, selfSignedCertificate({ host: 'placeholder.invalid', notBefore, notAfter }))
    }
    await mirror.put(paths.config, config)
    isPrepared = true
  }

  /** In dependency order: an entry is written before anything refers to it. */
  async function write(maps: Record<MapName, ReadonlyMap<string, string>>, certificates: readonly EdgeCertificate[]): Promise<void> {
    await mirror.put(paths.certificateList, certificateListFile(certificates))
    for (const name of MAP_NAMES) await mirror.put(paths.map(name), mapFile(maps[name]))
  }

  /**
   * While HAProxy reads its files: a single certificate it cannot use keeps it from starting at all. Once it runs, it rejects only that
   * one.
   */
  async function withoutCertificates<Result>(read: () => Promise<Result>): Promise<Result> {
    const list = (await readIfThere(paths.certificateList)) ?? ''
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

  return { prepare, write, withoutCertificates, invalidate }
}
