import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type IgnoreRules, parseDockerignore } from './dockerignore.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor } from './tar.ts'

const CHUNK_BYTES = 256 * 1024
const MAX_IGNORE_BYTES = 1024 * 1024

/**
 * A directory as the tar stream of a build context, without the files that `.dockerignore` excludes. Links stay links, so nothing outside
 * the directory is read; devices, pipes and sockets are left out.
 */
export function buildContext(options: ContextOptions): Readable {
  return Readable.from(archive(options), { objectMode: false, highWaterMark: CHUNK_BYTES })
}

type ContextOptions = {
  directory: string
  dockerfile: string
  written?: WrittenDockerfile
  beside?: readonly BesideDirectory[]
  signal?: AbortSignal
}
/** Another directory that is put at `at`, without what its own .dockerignore excludes. */
type BesideDirectory = { readonly at: string; readonly directory: string }
/** A generated Dockerfile, and the ignore rules to use if there is no .dockerignore. */
type WrittenDockerfile = { readonly text: string; readonly ignore: string }

async function* archive(options: ContextOptions): AsyncGenerator<Buffer> {
  const { directory, dockerfile, written, signal } = options
  const rules = await ignoreRules(options)
  // The engine needs these two even when they are ignored.
  const needed = new Set(written === undefined ? [path.posix.normalize(dockerfile), '.dockerignore'] : ['.dockerignore'])
  const reserved = new Set((options.beside ?? []).map(({ at }) => at.split('/')[0] ?? ''))
  for await (const relative of walk(directory, '', { rules, needed })) {
    signal?.throwIfAborted()
    if (reserved.has(relative.split('/')[0] ?? '')) continue
    if (written === undefined || relative !== dockerfile) yield* entry(directory, relative)
  }
  for (const beside of options.beside ?? []) yield* besideEntries(beside, signal)
  if (written !== undefined) yield* textEntry(dockerfile, written.text)
  // The engine applies the ignore rules again, but those of the Dockerfile come before those of the context.
  if (written !== undefined && reserved.size > 0) yield* textEntry(`${dockerfile}.dockerignore`, '')
  yield END_OF_ARCHIVE
}

function* textEntry(name: string, text: string): Generator<Buffer> {
  const bytes = Buffer.from(text)
  yield Buffer.concat([headerOf({ path: name, kind: 'file', mode: 0o644, size: bytes.length, mtimeSeconds: 0 }), bytes])
  yield paddingFor(bytes.length)
}

async function* besideEntries({ at, directory }: BesideDirectory, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const rules = parseDockerignore((await readPlain(path.join(directory, '.dockerignore'))) ?? '', { signal })
  yield headerOf({ path: at, kind: 'directory', mode: 0o755, size: 0, mtimeSeconds: 0 })
  for await (const relative of walk(directory, '', { rules, needed: new Set() })) {
    signal?.throwIfAborted()
    if (relative !== '.git' && !relative.startsWith('.git/')) yield* entry(directory, relative, at)
  }
}

async function ignoreRules({ directory, dockerfile, written, signal }: ContextOptions): Promise<IgnoreRules> {
  for (const name of [`${dockerfile}.dockerignore`, '.dockerignore']) {
    const text = await readPlain(path.join(directory, name))
    if (text !== null) return parseDockerignore(text, { signal })
  }
  return parseDockerignore(written?.ignore ?? '', { signal })
}

async function readPlain(file: string): Promise<string | null> {
  const found = await lstat(file).catch(() => null)
  return found?.isFile() === true && found.size <= MAX_IGNORE_BYTES
    ? readFile(file, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW })
    : null
}

type Choice = { readonly rules: IgnoreRules; readonly needed: ReadonlySet<string> }

async function* walk(directory: string, below: string, choice: Choice): AsyncGenerator<string> {
  const { rules, needed } = choice
  const children = await readdir(path.join(directory, below), { withFileTypes: true })
  for (const child of children.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const relative = below === '' ? child.name : `${below}/${child.name}`
    const isKept = !(await rules.isIgnored(relative)) || needed.has(relative)
    if (isKept) yield relative
    // Below an ignored directory only an exception or a Dockerfile can be included.
    const isWorthALook = isKept || rules.hasExceptions || [...needed].some((file) => file.startsWith(`${relative}/`))
    if (child.isDirectory() && isWorthALook) yield* walk(directory, relative, choice)
  }
}

async function* entry(directory: string, relative: string, at = ''): AsyncGenerator<Buffer> {
  const file = path.join(directory, relative)
  const place = path.posix.join(at, relative)
  const stats = await lstat(file)
  if (stats.isFile()) yield* fileEntry(file, place)
  if (stats.isDirectory()) yield headerOf({ ...attributes(stats), path: place, kind: 'directory', size: 0 })
  if (stats.isSymbolicLink())
    yield headerOf({ ...attributes(stats), path: place, kind: 'symlink', size: 0, linkTarget: await readlink(file) })
}

async function* fileEntry(file: string, relative: string): AsyncGenerator<Buffer> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  const stats = await handle.stat()
  yield headerOf({ ...attributes(stats), path: relative, kind: 'file', size: stats.size })
  let left = stats.size
  while (left > 0) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) throw new Error('a file of the build context shrank while it was read')
    left -= bytesRead
    yield chunk.subarray(0, bytesRead)
  }
  yield paddingFor(stats.size)
}

function attributes(stats: Stats): { mode: number; mtimeSeconds: number } {
  return { mode: stats.mode & 0o777, mtimeSeconds: stats.mtimeMs / 1000 }
}
