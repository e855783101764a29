import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { RepoEntry } from '../../../../engine/compose/repository.ts'
import { SourceRefused } from '../../../../git/errors.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'

const MOST_BYTES = 20 * 1024 ** 2
const MOST_FILES = 5000
const LONGEST_TEXT = 1024 ** 2
const TOO_MUCH = `names more than ${MOST_BYTES / 1024 ** 2} MB or ${MOST_FILES} files of the repository with all that the file names. Copy them into an image instead`

type Found = { readonly path: string; readonly mode: number; readonly blob: string }

/** What a compose file takes from the checked-out commit. Links are followed inside the repository and nowhere else. */
export function createRepositoryFiles(workspace: string) {
  const blobs = new Map<string, Buffer>()
  let bytesLeft = MOST_BYTES
  let filesLeft = MOST_FILES

  async function fileAt(real: string, path: string): Promise<Found> {
    const { size, mode } = await lstat(real)
    bytesLeft -= size
    filesLeft -= 1
    if (bytesLeft < 0 || filesLeft < 0) throw new SourceRefused(TOO_MUCH)
    const contents = await readFile(real)
    const blob = hash('sha256', contents, 'hex')
    blobs.set(blob, contents)
    return { path, mode: mode & 0o111 ? 0o755 : 0o644, blob }
  }

  /** Links to directories are not followed: what they lead to is in the repository under its own name, or nowhere. */
  async function filesIn(directory: string): Promise<Found[]> {
    const root = await realpath(workspace)
    const entries = (await readdir(directory, { recursive: true, withFileTypes: true }))
      .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
      .filter(({ path }) => !relative(root, path).split('/').includes('.git'))
    const found: Found[] = []
    for (const { entry, path } of entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      const real = entry.isSymbolicLink() ? await resolveInside(root, relative(root, path)) : null
      if (entry.isFile()) found.push(await fileAt(path, relative(directory, path)))
      else if (real?.kind === 'file') found.push(await fileAt(real.path, relative(directory, path)))
    }
    return found
  }

  async function read(normal: string): Promise<RepoEntry> {
    try {
      const found = await resolveInside(workspace, normal)
      if (found === null) return { kind: 'missing' }
      if (found.kind === 'directory') return { kind: 'directory', files: await filesIn(found.path) }
      const { mode, blob } = await fileAt(found.path, normal)
      const contents = blobs.get(blob) ?? Buffer.alloc(0)
      return { kind: 'file', mode, blob, text: contents.length <= LONGEST_TEXT && isUtf8(contents) ? contents.toString('utf8') : null }
    } catch (cause) {
      if (cause instanceof SourceRefused) return { kind: 'refused', why: cause.message.replace(/\.$/, '') }
      throw cause
    }
  }

  return { read, blobs: blobs as ReadonlyMap<string, Buffer> }
}

export type RepositoryFiles = ReturnType<typeof createRepositoryFiles>
