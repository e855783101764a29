import type { SourceCheck, SourceFiles } from '@berth/contract'
import { parseCloneUrl } from '../../git/clone-url.ts'
import { RepositoryTooLarge, SourceError } from '../../git/errors.ts'
import type { Git } from '../../git/git.ts'
import type { Credential } from '../../git/git-settings.ts'
import { isBranchName } from '../../git/ref.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { type Limiter, LimiterFull } from '../../lib/limiter.ts'
import { type BuildPlace, findSourceFiles, relevantTo, unknownSourceFiles } from './source-files.ts'

export type Source = { cloneUrl: string; branch: string }
type Right = { mayUsePrivate: boolean; credential?: Credential | undefined }
export type Requester = Right & { id: number }

const PROBE_MS = 10_000

/** What can be checked without network access: the syntax of the URL, and who may use files of this machine. */
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

type Deps = { git: Pick<Git, 'listBranches' | 'listFiles'>; limiter: Limiter }

/** Checks a source while its address is being typed. "Not reachable" is a result, not an error. */
export function createProbeSource({ git, limiter }: Deps) {
  async function branches(source: Source, asker: Requester): Promise<SourceCheck> {
    checkSource({ cloneUrl: source.cloneUrl }, asker)
    try {
      return await limiter.run(asker.id, async () => await askForBranches(source, asker))
    } catch (cause) {
      if (cause instanceof LimiterFull) throw new AppError('too_many_source_checks', { cause })
      throw cause
    }
  }

  async function askForBranches(source: Source, right: Right): Promise<SourceCheck> {
    const signal = AbortSignal.timeout(PROBE_MS)
    try {
      const found = await git.listBranches({ url: source.cloneUrl, ...rightsOf(right), signal })
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

  async function files(source: Source & BuildPlace, asker: Requester): Promise<SourceFiles> {
    checkSource({ cloneUrl: source.cloneUrl, ...(source.branch !== '' && { branch: source.branch }) }, asker)
    try {
      return await limiter.run(asker.id, async () => await lookAtFiles(source, asker))
    } catch (cause) {
      if (cause instanceof LimiterFull) return unknownSourceFiles(source, 'The server is busy checking other sources.')
      throw cause
    }
  }

  async function lookAtFiles(source: Source & BuildPlace, right: Right): Promise<SourceFiles> {
    const signal = AbortSignal.timeout(PROBE_MS)
    try {
      const branch = source.branch === '' ? null : source.branch
      const wanted = { url: source.cloneUrl, ...rightsOf(right), branch, signal, isWanted: relevantTo(source) }
      return findSourceFiles(await git.listFiles(wanted), source)
    } catch (cause) {
      if (!(cause instanceof SourceError) && !signal.aborted) throw cause
      return unknownSourceFiles(source, reasonOf(cause))
    }
  }

  return { branches, files }
}

export type ProbeSource = ReturnType<typeof createProbeSource>

function rightsOf({ mayUsePrivate, credential }: Right) {
  return { privileged: mayUsePrivate, ...(credential && { credential }) }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof RepositoryTooLarge) return 'The repository is too large for a quick check.' // a deployment may be much larger
  return cause instanceof SourceError ? cause.message : 'The check took more than 10 seconds.'
}
