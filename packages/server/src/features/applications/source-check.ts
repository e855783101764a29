import type { SourceCheck, SourceFiles } from '@berth/contract'
import { parseCloneUrl } from '../../git/clone-url.ts'
import { RepositoryTooLarge, SourceError } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import { isBranchName } from '../../git/ref.ts'
import { fieldError } from '../../lib/app-error.ts'
import { type BuildPlace, findSourceFiles, unknownSourceFiles } from './source-files.ts'

export type Source = { cloneUrl: string; branch: string }
type Right = { mayUsePrivate: boolean }

const PROBE_MS = 10_000
/** Each may need its 50 MB of disk for a moment. */
const MAX_LOOKS = 4

/** What can be said of a source without asking anyone: the grammar, and who may use files of this machine. */
export function checkSource(source: Partial<Source>, right: Right): void {
  if (source.cloneUrl !== undefined) {
    const url = parseCloneUrl(source.cloneUrl)
    if (url === null)
      throw fieldError(
        'invalid_source',
        'gitCloneUrl',
        'must be an address such as https://host/owner/repository or git@host:owner/repository',
      )
    if (url.kind === 'file' && !right.mayUsePrivate)
      throw fieldError('invalid_source', 'gitCloneUrl', 'must not name files of this machine')
  }
  if (source.branch !== undefined && !isBranchName(source.branch))
    throw fieldError('invalid_source', 'gitBranch', 'must be the name of a branch')
}

/** What a source says of itself while somebody types its address. One that does not answer is an answer too. */
export function createProbeSource(git: Pick<Git, 'listBranches' | 'listFiles'>) {
  let looks = 0

  async function branches(source: Source, right: Right): Promise<SourceCheck> {
    checkSource({ cloneUrl: source.cloneUrl }, right)
    const signal = AbortSignal.timeout(PROBE_MS)
    try {
      const found = await git.listBranches({ url: source.cloneUrl, privileged: right.mayUsePrivate, signal })
      const isMissing = source.branch !== '' && !found.branches.includes(source.branch)
      const message = isMissing
        ? `There is no branch "${source.branch}".`
        : `${found.branches.length} ${found.branches.length === 1 ? 'branch' : 'branches'}`
      return { reachable: true, message, defaultBranch: found.defaultBranch ?? '', branches: found.branches.slice(0, 500) }
    } catch (cause) {
      const isKnown = cause instanceof SourceError
      if (!isKnown && !signal.aborted) throw cause
      return {
        reachable: false,
        message: isKnown ? cause.message : 'The repository did not answer within 10 seconds.',
        defaultBranch: '',
        branches: [],
      }
    }
  }

  async function files(source: Source & BuildPlace, right: Right): Promise<SourceFiles> {
    checkSource({ cloneUrl: source.cloneUrl, ...(source.branch !== '' && { branch: source.branch }) }, right)
    if (looks >= MAX_LOOKS) return unknownSourceFiles(source, 'The server is looking at other sources at this moment.')
    const signal = AbortSignal.timeout(PROBE_MS)
    looks += 1
    try {
      const branch = source.branch === '' ? null : source.branch
      return findSourceFiles(await git.listFiles({ url: source.cloneUrl, privileged: right.mayUsePrivate, branch, signal }), source)
    } catch (cause) {
      if (!(cause instanceof SourceError) && !signal.aborted) throw cause
      return unknownSourceFiles(source, reasonOf(cause))
    } finally {
      looks -= 1
    }
  }

  return { branches, files }
}

export type ProbeSource = ReturnType<typeof createProbeSource>

function reasonOf(cause: unknown): string {
  if (cause instanceof RepositoryTooLarge) return 'The repository is too large for a quick look.' // a deployment may have much more
  return cause instanceof SourceError ? cause.message : 'The look took more than 10 seconds.'
}
