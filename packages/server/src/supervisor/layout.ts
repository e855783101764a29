import { readlinkSync } from 'node:fs'
import { rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { syncDirectory } from '../lib/write-durably.ts'

/**
 * An installed Berth: `releases/<version>` beside `current`, a link to one of them. The data is somewhere else.
 */
export function createLayout(root: string) {
  const releases = join(root, 'releases')
  const link = join(root, 'current')
  const releaseDir = (version: string) => join(releases, version)

  /** The version that `current` leads to. */
  function current(): string {
    return basename(readlinkSync(link))
  }

  /** Atomic: `current` leads to the old release or to the new one. */
  async function switchTo(version: string): Promise<void> {
    if (current() === version) return // nothing has to be written, which a full disk might refuse
    const unfinished = `${link}.new`
    await rm(unfinished, { force: true })
    await symlink(join('releases', version), unfinished)
    await rename(unfinished, link)
    await syncDirectory(root)
  }

  return { root, releases, releaseDir, current, switchTo, program: (version: string) => join(releaseDir(version), 'bin', 'berth-server') }
}

export type Layout = ReturnType<typeof createLayout>

/** Undefined when the program is not part of an installed release, but of a checkout. */
export function rootOf(program: string, below: string): string | undefined {
  if (!program.endsWith(`/${below}`)) return undefined
  const release = resolve(program.slice(0, -below.length))
  return basename(dirname(release)) === 'releases' ? dirname(dirname(release)) : undefined
}

/** Compiled code of a version, kept beside the data because releases are read-only. */
export function compileCacheOf(dataDir: string, version: string): string {
  return join(dataDir, 'compile-cache', version)
}
