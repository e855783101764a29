import { chown, mkdir } from 'node:fs/promises'
import type { Logger } from '../lib/logger.ts'
import { removeTree } from '../lib/remove-tree.ts'
import { BranchMissing, CommitMissing, SourceRefused } from './errors.ts'
import type { MemoryMib } from './git-process.ts'
import { createVisits, type RunAs, type Source, type Visit } from './git-visit.ts'
import { type Gitlink, LIST_MODULES, moduleUrlsIn } from './gitlinks.ts'
import { createListFiles } from './list-files.ts'
import { checkBranch, isCommitHash } from './ref.ts'
import { branchesIn, createRefReader, type Refs } from './refs.ts'
import type { SourcePolicy } from './source-policy.ts'
import { createSubmodules, type Fetched, type Submodule } from './submodules.ts'
import {
  checkCheckoutSize,
  checkDirectorySize,
  createTreeCheck,
  DEFAULT_LIMITS,
  LIST_TREE,
  type SizeLimits,
  type TreeNotes,
} from './tree-size.ts'

export type Commit = { readonly hash: string; readonly message: string; readonly author: string }
type Wanted = {
  readonly hash: string
  readonly branch: string | null
  readonly into: string
  /** Something arrived, or a step is done. */
  readonly onActivity?: () => void
  /** Also fetches the submodules; called for each that is there. */
  readonly onSubmodule?: (path: string) => void
  /** For checks, with smaller limits than a deployment. */
  readonly within?: { readonly limits: SizeLimits; readonly timeoutMs: number; readonly memory?: keyof MemoryMib }
}

const ASK_TIMEOUT_MS = 60_000
const LOCAL_TIMEOUT_MS = 300_000
const MAX_AUTHOR = 200
const MAX_MESSAGE = 10_000
const MAX_MODULES = 512 * 1024
const WHOLE_HISTORY = 2 ** 31 - 1

type Deps = {
  policy: Pick<SourcePolicy, 'admit'>
  /** A directory of ours for git's empty HOME directories. */
  scratch: string
  path: string
  /** Another user to run git as, which must be able to enter all directories above `scratch` and the workspaces. */
  runAs?: RunAs
  limits?: SizeLimits
  /** For listing file names only. */
  lookLimits?: SizeLimits
  fetchTimeoutMs?: number
  retryAfterMs?: readonly number[]
  memoryMib?: MemoryMib
  caFile?: (() => string) | undefined
  whyNoSsh?: () => Promise<string | undefined>
  log?: Pick<Logger, 'warn'>
}

/** The one place that runs git. User input never becomes an option, a command, or an unchecked protocol. */
export function createGit(deps: Deps) {
  const { scratch, limits = DEFAULT_LIMITS, fetchTimeoutMs = 600_000 } = deps
  const visit = createVisits(deps)

  async function listRefs(source: Source): Promise<Refs> {
    return visit(source, async ({ git, url }) => {
      const reader = createRefReader()
      const asking = { cwd: scratch, timeoutMs: ASK_TIMEOUT_MS, memory: 'ask', onOutput: reader.add } as const
      await git(['ls-remote', '--symref', '--', url.href, 'HEAD', 'refs/heads/*'], asking)
      return reader.read()
    })
  }

  async function listBranches(source: Source): Promise<{ branches: string[]; defaultBranch: string | null }> {
    const { refs, defaultBranch } = await listRefs(source)
    return { branches: branchesIn(refs), defaultBranch }
  }

  /** The current commit of a branch, or of the remote's default branch. */
  async function resolveCommit(wanted: Source & { branch: string | null }): Promise<{ hash: string; branch: string }> {
    checkBranch(wanted.branch)
    const { refs, defaultBranch } = await listRefs(wanted)
    const isHead = (name: string) => refs.get(`refs/heads/${name}`) === refs.get('HEAD')
    const branch = wanted.branch ?? defaultBranch ?? branchesIn(refs).find(isHead) ?? null
    const hash = branch === null ? undefined : refs.get(`refs/heads/${branch}`)
    if (branch === null || hash === undefined) throw new BranchMissing(branch ?? 'HEAD', branchesIn(refs))
    return { hash, branch }
  }

  /** Checks out exactly that commit into `into`, which it empties first, without history. Also returns its submodules. */
  async function checkout(wanted: Source & Wanted): Promise<Commit & { readonly submodules: readonly Submodule[] }> {
    const { links, urls, ...commit } = await checkoutOne(wanted)
    if (wanted.onSubmodule === undefined) return { ...commit, submodules: [] }
    const room = wanted.within ?? { limits, timeoutMs: fetchTimeoutMs, memory: 'work' as const }
    const fetchAll = createSubmodules({
      limits: room.limits,
      onFetched: wanted.onSubmodule,
      // Of what is wanted, only the progress: the rights and the credential may be for another host.
      checkout: async (source, place) => {
        const within = { ...room, limits: place.limits }
        return await checkoutOne({ ...source, ...place, ...progressOf(wanted), branch: null, within })
      },
    })
    return { ...commit, submodules: await fetchAll(wanted.into, sourceIn(wanted), { links, urls }) }
  }

  async function checkoutOne(wanted: Source & Wanted): Promise<Commit & Fetched> {
    if (!isCommitHash(wanted.hash)) throw new SourceRefused('That is not a commit hash.')
    checkBranch(wanted.branch)
    return visit(wanted, async (visited) => {
      const { hash, into, within = { limits, timeoutMs: fetchTimeoutMs } } = wanted
      const source = reporting(visited, wanted.onActivity)
      await removeTree(into) // a second attempt starts clean
      await mkdir(into, { recursive: true, mode: 0o700 })
      if (source.runAs !== undefined) await chown(into, source.runAs.uid, source.runAs.gid)
      const memory = wanted.within === undefined ? 'work' : (wanted.within.memory ?? 'ask')
      const local = { cwd: into, timeoutMs: LOCAL_TIMEOUT_MS, memory }
      await source.git(['init', '--quiet', '.'], local)
      const commit = await fetchCommit(source, wanted, { ...within, memory })
      const links = await writeTree(source, hash, { ...local, limits: within.limits })
      const modules = links.length > 0 ? await listModules(source, hash, local) : '' // also without submodules: one that is not valid is reported
      return { ...commit, links, urls: moduleUrlsIn(modules) }
    })
  }

  return { resolveCommit, listBranches, listFiles: createListFiles({ ...deps, visit }), checkout }
}

export type Git = ReturnType<typeof createGit>

function progressOf({ onActivity }: Wanted): Pick<Wanted, 'onActivity'> {
  return onActivity === undefined ? {} : { onActivity }
}

/** The arguments of a `rev-list` that describes a commit, and prints nothing if it is not there. */
const DESCRIBE = ['rev-list', '--no-walk', '--ignore-missing', '--format=%H%x00%an%x00%B'] as const

/** Undefined if that very commit was not described. */
function commitIn(described: string, wanted: string): Commit | undefined {
  const [first = '', author = '', message = ''] = described.split('\u0000')
  const hash = first.split('\n').at(-1) ?? '' // after a line that names it too
  if (hash !== wanted) return undefined
  return { hash, author: author.slice(0, MAX_AUTHOR), message: message.trim().slice(0, MAX_MESSAGE) }
}

function sourceIn({ url, privileged, credential, ssh, signal }: Source): Source {
  return { url, privileged, ...(credential && { credential }), ...(ssh && { ssh }), ...(signal && { signal }) }
}

type Local = Parameters<Visit['git']>[1]

/** Empty without a .gitmodules. */
async function listModules({ git }: Visit, hash: string, run: Local): Promise<string> {
  const names = await git(['ls-tree', '-z', '--name-only', hash, '--', '.gitmodules'], run)
  if (names === '') return ''
  const [config, ...args] = LIST_MODULES
  const modules = await git([config, '--blob', `${hash}:.gitmodules`, ...args], { ...run, emptyCode: 1 }) // which is how git says that nothing matches
  if (modules.length > MAX_MODULES) throw new SourceRefused('The .gitmodules of the repository is longer than 512 KiB.')
  return modules
}

/** By hash first. If the server only serves branches, fetches the branch, first shallow and then completely. */
async function fetchCommit(
  { git, url }: Visit,
  { hash, branch, into, onActivity }: Wanted,
  { limits, timeoutMs, memory }: { limits: SizeLimits; timeoutMs: number; memory: keyof MemoryMib },
): Promise<Commit> {
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
  const ways = [
    ['--depth=1', '--', url.href, hash],
    ['--depth=50', '--', url.href, ref],
    [`--depth=${WHOLE_HISTORY}`, '--', url.href, ref],
  ]
  let arrived = 0
  const watch = async () => {
    const { bytes } = await checkDirectorySize(into, limits)
    if (bytes !== arrived) onActivity?.()
    arrived = bytes
  }
  const fetching = { cwd: into, timeoutMs, watch, memory }
  for (const way of ways) {
    try {
      await git(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...way], fetching)
    } catch (cause) {
      if (!(cause instanceof CommitMissing)) throw cause
    }
    const found = commitIn(await git([...DESCRIBE, hash, '--'], { cwd: into, timeoutMs: LOCAL_TIMEOUT_MS, memory }), hash)
    if (found === undefined) continue
    await watch()
    return found
  }
  throw new CommitMissing(hash)
}

/** Writes the files of a commit that was fetched, within the limits. Returns its submodules. */
async function writeTree({ git }: Visit, hash: string, { limits, ...run }: Local & { limits: SizeLimits }): Promise<Gitlink[]> {
  const tree: TreeNotes = { links: [], hasAttributes: false }
  await git([...LIST_TREE, '-l', hash], { ...run, onOutput: createTreeCheck(limits, tree) })
  const watch = tree.hasAttributes ? async () => await checkCheckoutSize(run.cwd, limits) : undefined
  await git(['checkout', '--quiet', '--force', '--detach', hash, '--'], { ...run, ...(watch && { watch }) })
  await watch?.()
  return tree.links
}

/** Every finished command counts as progress. */
function reporting(visit: Visit, onActivity: (() => void) | undefined): Visit {
  const git: Visit['git'] = async (args, run) => {
    const out = await visit.git(args, run)
    onActivity?.()
    return out
  }
  return { ...visit, git }
}
