import path from 'node:path'
import { SpecRefused } from '../api/errors.ts'
import { refuse } from './refuse.ts'
import type { PlacedFile } from './stack.ts'
import { parseComposeYaml } from './yaml.ts'

/** The entry at a path in the repository. `unread`: not read yet. */
export type RepoEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly blob: string; readonly text: string | null }
  | { readonly kind: 'directory'; readonly files: readonly (PlacedFile & { readonly blob: string })[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unread' }

/** Looks up a normalised path of the repository. */
export type LookUp = (path: string) => RepoEntry

/** Normalises a path: from relative to the compose file to relative to the root of the repository. */
export function repositoryPath(given: string, at: string, directory: string): string {
  if (given.startsWith('/') || given.startsWith('~')) refuse(`${at} (${given.slice(0, 80)})`, OUTSIDE)
  const normal = path.posix.normalize(path.posix.join(directory, given)).replace(/\/$/, '')
  return normal === '..' || normal.startsWith('../') ? refuse(`${at} (${given.slice(0, 80)})`, OUTSIDE) : normal
}

const OUTSIDE = 'is not a path in the repository. Commit the file and use a path that starts with ./'

/** A file that the compose file requires. */
export function fileAt(lookUp: LookUp, normal: string, at: string): Extract<RepoEntry, { kind: 'file' | 'unread' }> {
  const entry = lookUp(normal)
  if (entry.kind === 'refused') return refuse(at, entry.why)
  if (entry.kind === 'missing')
    return refuse(at, `names ${normal}, which is not in the repository. Commit it, or set the values in the app's environment`)
  return entry.kind === 'directory' ? refuse(at, `names ${normal}, which is a directory`) : entry
}

const MOST_ROUNDS = 50

/** How the planner sees a repository. Each text is parsed once, however many attempts there are. */
export type Access = { readonly lookUp: LookUp; readonly parse: (text: string) => unknown }

/** Runs the synchronous planner repeatedly: each attempt reports the paths it lacks, and they are read before the next one. */
export async function withRepository<Result>(
  attempt: (access: Access) => Result,
  read: (path: string) => Promise<RepoEntry>,
): Promise<Result> {
  const known = new Map<string, RepoEntry>()
  const parsed = new Map<string, () => unknown>()
  const parse = (text: string) => {
    const outcome = parsed.get(text) ?? outcomeOf(() => parseComposeYaml(text))
    parsed.set(text, outcome)
    return outcome()
  }
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const wanted = new Set<string>()
    const lookUp: LookUp = (normal) => {
      const found = known.get(normal)
      if (found === undefined) wanted.add(normal)
      return found ?? { kind: 'unread' }
    }
    const outcome = outcomeOf(() => attempt({ lookUp, parse }))
    if (wanted.size === 0) return outcome()
    for (const normal of wanted) known.set(normal, await read(normal))
  }
  throw new SpecRefused('the file', 'The compose file refers to too many files, directly or indirectly.')
}

/** The result or the error, for later. */
function outcomeOf<Result>(work: () => Result): () => Result {
  try {
    const result = work()
    return () => result
  } catch (cause) {
    return () => {
      throw cause
    }
  }
}
