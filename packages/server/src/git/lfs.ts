import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withoutTrailing } from '../lib/without-trailing.ts'
import { type CloneUrl, parseCloneUrl } from './clone-url.ts'
import { RepositoryTooLarge, SourceError } from './errors.ts'
import { createFramingLimit, type FramingLimit } from './framing-limit.ts'
import type { Source } from './git-visit.ts'
import { type Offer, offersFor } from './lfs-batch.ts'
import { openFile, type Place } from './lfs-file.ts'
import { type LfsPointer, lfsPointersIn, lfsPointersInSubmodule } from './lfs-pointers.ts'
import { brokenConnection, type PinnedRequest } from './pinned-request.ts'
import type { Submodule } from './submodules.ts'
import { checkDirectorySize, DEFAULT_LIMITS, type SizeLimits } from './tree-size.ts'

type Wanted = {
  readonly directory: string
  /** Those that were fetched. The files of each are at its own server. */
  readonly submodules?: readonly Submodule[]
  readonly signal: AbortSignal
  readonly onActivity: () => void
}

/** How many pointers were replaced, and the paths of those that were not, because the server does not have their files. */
type LfsFiles = { readonly fetched: number; readonly missing: readonly string[] }

const NOT_THERE = 404
const BATCH = 50

/**
 * Replaces the pointers of Git LFS in a checkout with their files. Berth speaks the protocol itself: the server names an address for every
 * file, and each must pass the same checks as a clone URL, which git's own program cannot be told. A file must have the size and the hash of
 * its pointer, so that a server cannot send anything else.
 */
export function createLfs({ request, limits = DEFAULT_LIMITS }: { request: PinnedRequest; limits?: SizeLimits }) {
  async function fetchBatch(place: Place, batch: readonly (readonly LfsPointer[])[], { own, limited, wanted }: Into): Promise<string[]> {
    const firsts = batch.flatMap(([first]) => first ?? [])
    const offers = await offersFor(request, place, { pointers: firsts, limited, signal: wanted.signal })
    const missing: string[][] = [] // two hundred thousand paths are more than one call takes as arguments
    for (const same of batch) {
      const [pointer] = same
      if (pointer === undefined) continue
      const file = path.join(own, pointer.oid)
      const offer = offers.get(pointer.oid)
      if (offer?.error?.code === NOT_THERE) missing.push(same.map((each) => each.path))
      else {
        await download(request, place, { offer, pointer, file, limited, wanted })
        await putInPlace(wanted.directory, file, same)
      }
    }
    return missing.flat()
  }

  async function fetchPart({ source, pointers }: Part, into: Into): Promise<string[]> {
    const place = placeOf(source)
    const each = [...Map.groupBy(pointers, ({ oid }) => oid).values()]
    const missing: string[][] = []
    for (let from = 0; from < each.length; from += BATCH) missing.push(await fetchBatch(place, each.slice(from, from + BATCH), into))
    return missing.flat()
  }

  /** A file that only looks like a pointer, such as an example in a test, is missing at the server, and stays. */
  return async function fetchLfs(source: Source, wanted: Wanted): Promise<LfsFiles> {
    const { directory } = wanted
    const parts = await partsOf(source, wanted)
    const pointers = parts.flatMap((part) => part.pointers)
    if (pointers.length === 0) return { fetched: 0, missing: [] }
    const missing: string[][] = []
    const bytes = pointers.reduce((sum, { size }) => sum + size, (await checkDirectorySize(directory, limits)).bytes)
    if (bytes > limits.maxBytes) throw new RepositoryTooLarge(`${Math.round(limits.maxBytes / 1024 ** 2)} MiB with its Git LFS files`)
    const own = await mkdtemp(path.join(directory, '.git', 'lfs-')) // on the same file system, and in no build context
    try {
      const into = { own, limited: createFramingLimit(), wanted }
      for (const part of parts) missing.push(await fetchPart(part, into).catch(named(part)))
    } finally {
      await rm(own, { recursive: true, force: true })
    }
    const all = missing.flat()
    return { fetched: pointers.length - all.length, missing: all }
  }
}

/** The repository itself, or a submodule: what it lacks, with paths from the top. */
type Part = { readonly path: string; readonly source: Source; readonly pointers: readonly LfsPointer[] }

/** Only those with pointers. */
async function partsOf(source: Source, { directory, submodules = [] }: Wanted): Promise<Part[]> {
  const paths = submodules.map((each) => each.path)
  const parts: Part[] = [{ path: '', source, pointers: await lfsPointersIn(directory, { submodules: paths }) }]
  for (const module of submodules)
    parts.push({ ...module, pointers: await lfsPointersInSubmodule(directory, module.path, { submodules: paths }) })
  return parts.filter(({ pointers }) => pointers.length > 0)
}

/** The files of a submodule are at another server, so an error says whose they are. */
function named({ path: module }: Part) {
  return (cause: unknown): never => {
    if (!(cause instanceof SourceError) || module === '') throw cause
    const { isTransient } = cause
    throw new SourceError(`The Git LFS files of the submodule "${module}" could not be fetched. ${cause.message}`, { isTransient, cause })
  }
}

type Into = { readonly own: string; readonly limited: FramingLimit; readonly wanted: Wanted }
type Download = Omit<Into, 'own'> & { readonly offer: Offer | undefined; readonly pointer: LfsPointer; readonly file: string }

async function download(request: PinnedRequest, place: Place, { offer, pointer, file, limited, wanted }: Download): Promise<void> {
  const given = offer?.actions?.download
  if (given === undefined || !URL.canParse(given.href)) {
    const words = (offer?.error?.message ?? '').slice(0, 200)
    throw new SourceError(`${pointer.path}: the Git LFS server does not offer this file. ${words}`.trim())
  }
  const { answer, url } = await openFile(request, place, { given, signal: wanted.signal })
  const hash = createHash('sha256')
  let bytes = 0
  async function* checked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of limited(answer.socket, chunks)) {
      bytes += chunk.length
      if (bytes > pointer.size) return // more than the pointer says
      hash.update(chunk)
      wanted.onActivity()
      yield chunk
    }
  }
  answer.on('error', () => undefined) // it is also the error of the pipeline
  const writing = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await pipeline(answer, checked, writing, { signal: wanted.signal }).catch((cause: unknown) => {
    wanted.signal.throwIfAborted()
    throw answer.errored === null ? cause : brokenConnection(url, cause)
  })
  if (bytes !== pointer.size || hash.digest('hex') !== pointer.oid)
    throw new SourceError(`${pointer.path}: the Git LFS server sent another file than the one that was committed.`)
}

export type FetchLfs = ReturnType<typeof createLfs>

/** By a rename, which replaces a link instead of following it. */
async function putInPlace(directory: string, file: string, pointers: readonly LfsPointer[]): Promise<void> {
  for (const [index, pointer] of pointers.entries()) {
    const copy = `${file}-${index}`
    await copyFile(file, copy)
    await chmod(copy, pointer.mode)
    await rename(copy, path.join(directory, pointer.path))
  }
  await rm(file)
}

/** An ssh host is asked over https, as git's own program does. */
function placeOf(source: Source): Place {
  const url = parseCloneUrl(source.url)
  if (url === null || url.kind === 'file') throw new SourceError('Git LFS files can only be fetched over https.')
  const api = new URL(url.href)
  const base = url.kind === 'ssh' ? `https://${api.hostname}` : api.origin
  const repository = withoutTrailing(api.pathname, '/').replace(/\.git$/, '')
  return { api: new URL(`${base}${repository}.git/info/lfs/objects/batch`), source, authorization: authorizationOf(url, source) }
}

function authorizationOf(url: CloneUrl, { credential }: Source): Record<string, string> {
  if (credential === undefined || url.kind !== 'https' || url.host !== credential.host || url.port !== credential.port) return {}
  return { authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}` }
}
