import type { SourceCheck } from '@berth/contract'
import { parseCloneUrl } from '../../git/clone-url.ts'
import { SourceError } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import { isBranchName } from '../../git/ref.ts'
import { fieldError } from '../../lib/app-error.ts'

export type Source = { cloneUrl: string; branch: string }

const PROBE_MS = 10_000

/** What can be said of a source without asking anyone: the grammar, and who may use files of this machine. */
export function checkSource(source: Partial<Source>, right: { mayUsePrivate: boolean }): void {
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

/** Whether it answers and which branches it has; a source that does not is an answer too. */
export function createProbeSource(git: Pick<Git, 'listBranches'>) {
  return async (source: Source, right: { mayUsePrivate: boolean }): Promise<SourceCheck> => {
    checkSource({ cloneUrl: source.cloneUrl }, right)
    try {
      const { branches, defaultBranch } = await git.listBranches({
        url: source.cloneUrl,
        privileged: right.mayUsePrivate,
        signal: AbortSignal.timeout(PROBE_MS),
      })
      const isMissing = source.branch !== '' && !branches.includes(source.branch)
      const message = isMissing
        ? `There is no branch "${source.branch}".`
        : `${branches.length} ${branches.length === 1 ? 'branch' : 'branches'}`
      return { reachable: true, message, defaultBranch: defaultBranch ?? '', branches: branches.slice(0, 500) }
    } catch (cause) {
      const isKnown = cause instanceof SourceError
      if (!isKnown && !(cause instanceof Error && cause.name === 'TimeoutError')) throw cause
      return {
        reachable: false,
        message: isKnown ? cause.message : 'The repository did not answer within 10 seconds.',
        defaultBranch: '',
        branches: [],
      }
    }
  }
}
