import { chown, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { removeTree } from '../lib/remove-tree.ts'
import { CommitMissing, RepositoryTooLarge, SourceError } from './errors.ts'
import type { Source, Visit, Visits } from './git-visit.ts'
import { checkBranch } from './ref.ts'
import { checkDirectorySize, createEntryReader, LIST_TREE, type SizeLimits } from './tree-size.ts'

export type TreeFile = { readonly path: string; readonly isLink: boolean }

const LOOK_LIMITS: SizeLimits = { maxBytes: 50 * 1024 ** 2, maxFiles: 200_000 }
const LOOK_TIMEOUT_MS = 10_000
/** For matching files. Only their names are held in memory. */
const MAX_FOUND = 5_000

/** For a quick check of what is there: a person is waiting, so it must be fast or fail. */
export function createListFiles(deps: { visit: Visits; scratch: string; lookLimits?: SizeLimits }) {
  const { visit, scratch, lookLimits = LOOK_LIMITS } = deps

  /**
   * The names of the files of a branch (default: the default branch) that `isWanted` accepts, without their content if the server
   * supports that.
   */
  return async function listFiles(wanted: Source & { branch: string | null; isWanted: (file: TreeFile) => boolean }): Promise<TreeFile[]> {
    checkBranch(wanted.branch)
    const ref = wanted.branch === null ? 'HEAD' : `refs/heads/${wanted.branch}`
    return visit(wanted, async (source) => {
      const into = await mkdtemp(path.join(scratch, 'look-'))
      try {
        if (source.runAs !== undefined) await chown(into, source.runAs.uid, source.runAs.gid)
        await fetchTrees(source, { into, ref })
        return await readNames(source, into, wanted.isWanted)
      } finally {
        await removeTree(into)
      }
    })
  }

  async function fetchTrees({ git, url }: Visit, { into, ref }: { into: string; ref: string }): Promise<void> {
    const run = { cwd: into, timeoutMs: LOOK_TIMEOUT_MS, memory: 'ask' } as const
    const check = async () => await checkDirectorySize(into, lookLimits)
    await git(['init', '--quiet', '--bare', '.'], run)
    // A server without filter support sends the content too; then the size limit applies.
    const how = ['--quiet', '--no-tags', '--no-recurse-submodules', '--depth=1', '--filter=blob:none']
    try {
      await git(['fetch', ...how, '--', url.href, ref], { ...run, watch: check })
    } catch (cause) {
      if (cause instanceof CommitMissing) throw new SourceError('There is no commit on that branch.', { cause })
      throw cause
    }
    await check()
  }

  async function readNames({ git }: Visit, into: string, isWanted: (file: TreeFile) => boolean): Promise<TreeFile[]> {
    const found: TreeFile[] = []
    let seen = 0
    const onOutput = createEntryReader((entry) => {
      seen += 1
      if (seen > lookLimits.maxFiles) throw new RepositoryTooLarge(`${lookLimits.maxFiles} files and directories`)
      const [, mode = '', name = ''] = /^(\d+) blob [0-9a-f]+\t([^]*)$/.exec(entry) ?? []
      const file = { path: Buffer.from(name, 'latin1').toString('utf8'), isLink: mode === '120000' }
      if (name !== '' && isWanted(file)) found.push(file)
      if (found.length > MAX_FOUND) throw new RepositoryTooLarge(`${MAX_FOUND} matching files`)
    })
    await git([...LIST_TREE, 'FETCH_HEAD'], { cwd: into, timeoutMs: LOOK_TIMEOUT_MS, memory: 'ask', onOutput })
    return found
  }
}
