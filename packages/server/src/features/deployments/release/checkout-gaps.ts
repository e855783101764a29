import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lfsPointersIn, lfsPointersInSubmodule } from '../../../git/lfs-pointers.ts'
import { resolveInside } from '../../../git/resolve-inside.ts'
import { readBeginning } from '../../../lib/read-beginning.ts'

const MOST_ENTRIES = 20_000
const MOST_SETTINGS_BYTES = 64 * 1024
const MOST_MODULES = 100
const SHOWN = 3

type Known = {
  /** The paths of those that were fetched. */
  readonly submodules: readonly string[]
  /** Files that the Git LFS server does not have; undefined if none were asked for. */
  readonly missing?: readonly string[] | undefined
}

/**
 * What a checkout lacks because git alone does not fetch it, as messages. A build that needs it would fail with an unrelated error.
 */
export async function checkoutGaps(directory: string, { submodules, missing }: Known): Promise<string[]> {
  const pointers = missing === undefined ? await allPointers(directory, submodules) : []
  const empty = await emptySubmodules(directory)
  return [
    ...(pointers.length === 0
      ? []
      : [
          `${some(pointers)}: Git LFS files were not fetched, so the checkout only has their pointers. Turn on Settings → Git LFS, or commit these files without LFS.`,
        ]),
    ...(missing === undefined || missing.length === 0
      ? []
      : [
          `${some(missing)}: the Git LFS server does not have these files, so the checkout only has their pointers. Push missing files with "git lfs push --all".`,
        ]),
    ...(empty.length === 0
      ? []
      : [
          `${some(empty)}: empty, because git submodules are not fetched. Turn on Settings → Submodules, or commit the files to the repository.`,
        ]),
  ]
}

function some(paths: readonly string[]): string {
  const more = paths.length - SHOWN
  return paths.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

async function allPointers(directory: string, submodules: readonly string[]): Promise<string[]> {
  const within = { mostFiles: MOST_ENTRIES, submodules }
  const found = [await lfsPointersIn(directory, within)]
  for (const module of submodules) found.push(await lfsPointersInSubmodule(directory, module, within))
  return found.flat().map(({ path }) => path)
}

async function emptySubmodules(directory: string): Promise<string[]> {
  const paths = (await readOwn(directory, '.gitmodules')).split('\n').map(pathSetIn)
  const empty: string[] = []
  for (const path of paths.filter((found) => found !== '').slice(0, MOST_MODULES)) {
    const found = await resolveInside(directory, path).catch(() => null) // a path outside the repository is not a submodule
    if (found?.kind === 'directory' && (await readdir(found.path)).length === 0) empty.push(path)
  }
  return empty
}

/** The path in a line such as `path = lib/theme`; empty for other lines. */
function pathSetIn(line: string): string {
  const equals = line.indexOf('=')
  return line.slice(0, Math.max(equals, 0)).trim() === 'path' ? line.slice(equals + 1).trim() : ''
}

/** Only regular files: a link may point to anything on this machine. */
async function readOwn(directory: string, name: string): Promise<string> {
  const file = join(directory, name)
  const found = await lstat(file).catch(() => undefined)
  return found?.isFile() ? await readBeginning(file, MOST_SETTINGS_BYTES) : ''
}
