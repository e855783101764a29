import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { lstat, opendir, readFile, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { RepoEntry } from '../../../../engine/compose/repository.ts'
import { SourceRefused } from '../../../../git/errors.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'

const MOST_BYTES = 20 * 1024 ** 2
const MOST_FILES = 5000
const MOST_ENTRIES = 20_000
const LONGEST_TEXT = 1024 ** 2
const TOO_MUCH = `names more than ${MOST_BYTES / 1024 ** 2} MiB or ${MOST_FILES} files of the repository with all that the file names. Copy them into an image instead`
const TOO_MANY = `names folders with more than ${MOST_ENTRIES} entries, with all that the file names. Copy them into an image instead`

type Content = { readonly mode: number; readonly blob: string }
type Found = Content & { readonly path: string }

/** The files that a compose file uses from the checked-out commit. Links are only followed inside the repository. */
export function createRepositoryFiles(workspace: string, signal?: AbortSignal) {
  const blobs = new Map<string, Buffer>()
  const files = new Map<string, Content>()
  const directories = new Map<string, Found[]>()
  let entriesLeft = MOST_ENTRIES
  let bytesLeft = MOST_BYTES
  let filesLeft = MOST_FILES

  async function fileAt(real: string): Promise<Content> {
    const known = files.get(real)
    if (known !== undefined) return known
    const { size, mode } = await lstat(real)
    bytesLeft -= size
    filesLeft -= 1
    if (bytesLeft < 0 || filesLeft < 0) throw new SourceRefused(TOO_MUCH)
    const contents = await readFile(real)
    const blob = hash('sha256', contents, 'hex')
    blobs.set(blob, contents)
    const content = { mode: mode & 0o111 ? 0o755 : 0o644, blob }
    files.set(real, content)
    return content
  }

  /** Counted one by one, because a commit can have millions of empty files. */
  function count(name = ''): void {
    signal?.throwIfAborted()
    entriesLeft -= 1
    if (entriesLeft < 0) throw new SourceRefused(TOO_MANY)
    if (name.includes('\uFFFD')) throw new SourceRefused(`names a folder with a file whose name is not UTF-8: ${name.slice(0, 80)}`)
  }

  /** Links to directories are not followed: if the target is in the repository, it is also found under its own name. */
  async function filesIn(directory: string): Promise<Found[]> {
    const root = await realpath(workspace)
    if (relative(root, directory).split('/').includes('.git')) return []
    const found: Found[] = []
    for (const { entry, path } of await entriesIn(directory, count)) {
      signal?.throwIfAborted()
      const real = entry.isSymbolicLink() ? await resolveInside(root, relative(root, path)) : null
      if (entry.isFile()) found.push({ ...(await fileAt(path)), path: relative(directory, path) })
      else if (real?.kind === 'file') found.push({ ...(await fileAt(real.path)), path: relative(directory, path) })
    }
    return found
  }

  async function directoryAt(directory: string): Promise<Found[]> {
    const found = directories.get(directory) ?? (await filesIn(directory))
    directories.set(directory, found)
    return found
  }

  async function read(normal: string): Promise<RepoEntry> {
    try {
      count()
      const found = await resolveInside(workspace, normal)
      if (found === null) return { kind: 'missing' }
      if (found.kind === 'directory') return { kind: 'directory', files: await directoryAt(found.path) }
      const { mode, blob } = await fileAt(found.path)
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

async function entriesIn(top: string, count: (name: string) => void): Promise<{ entry: Dirent; path: string }[]> {
  const found: { entry: Dirent; path: string }[] = []
  const directories = [top]
  for (const directory of directories)
    for await (const entry of await opendir(directory)) {
      count(entry.name)
      const path = join(directory, entry.name)
      if (entry.name === '.git') continue
      found.push({ entry, path })
      if (entry.isDirectory()) directories.push(path)
    }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
