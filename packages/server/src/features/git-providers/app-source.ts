import type { ApplicationChange } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { fetchesMore } from '../../domain/fetches-more.ts'
import { type AppRow, findGitAccount, type GitAccountRow, isMember } from '../../domain/rows.ts'
import { SourceError } from '../../git/errors.ts'
import { cloneUrlOf, commitUrlOf, repositoryIn } from '../../git-hosts/base-url.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Reader } from '../../store/database.ts'
import { asAppError, type HostAccess, type InTurn } from './host-access.ts'
import { withAccount } from './source-of.ts'

type SourceInput = Pick<ApplicationChange, 'gitProviderId' | 'gitRepository' | 'gitCloneUrl' | 'gitBranch' | 'submodules' | 'lfs'>
type KnownApp = Pick<AppRow, 'git_provider_id' | 'git_repository' | 'git_branch' | 'submodules' | 'lfs'>

type ConnectedColumn = 'git_provider_id' | 'git_repository' | 'git_repository_id' | 'git_clone_url' | 'git_commit_url' | 'source_set_by'
type ConnectedSource = Partial<Pick<AppRow, ConnectedColumn>>

const NO_APP: KnownApp = { git_provider_id: null, git_repository: '', git_branch: '', submodules: 0, lfs: 0 }

/** Connects an app to a repository of an account. */
export function createAppSource(deps: { db: Reader; access: HostAccess; inTurn: InTurn }) {
  const { db, access } = deps

  /** Resolves a change of the source. The host is asked first, so that a repository which the account cannot see is never stored. */
  async function connect(caller: Caller, projectId: number, input: SourceInput, app: KnownApp = NO_APP): Promise<ConnectedSource> {
    const accountId = input.gitProviderId === undefined ? app.git_provider_id : input.gitProviderId
    if (accountId === null)
      return input.gitProviderId === null || input.gitCloneUrl !== undefined ? { git_repository_id: '', git_commit_url: '' } : {}
    const isNamed = [input.gitProviderId, input.gitRepository, input.gitCloneUrl].some((value) => value !== undefined)
    const isOtherBranch = input.gitBranch !== undefined && input.gitBranch !== app.git_branch
    // With submodules or Git LFS, whoever can push to the repository decides what else is fetched with the account.
    if (!isNamed && !isOtherBranch && !fetchesMore(app, input)) return {}
    const account = await accountFor(db, caller, { projectId, accountId })
    if (!isNamed) return { source_set_by: caller.id }
    const name = repositoryNamed(account, input) ?? app.git_repository
    if (name === '') throw fieldError('invalid_request', 'gitRepository', 'is required with gitProviderId: it must be owner/repository')
    const { id, fullName } = await deps
      .inTurn(caller, async () => await access.use(account, async (host) => await host.repository(name)))
      .catch((cause: unknown) => {
        throw asAppError(cause)
      })
    return {
      git_provider_id: account.id,
      git_repository: fullName,
      git_repository_id: String(id),
      git_clone_url: cloneUrlOf(account.base_url, fullName),
      git_commit_url: commitUrlOf(account.provider, account.base_url, fullName),
      source_set_by: caller.id,
    }
  }

  /** For checking a source before an app uses it. */
  async function lookWith(caller: Caller, wanted: { projectId: number; accountId: number; url: string }) {
    const account = await accountFor(db, caller, wanted)
    if (repositoryIn(account.base_url, wanted.url) === undefined)
      throw fieldError('invalid_source', 'gitCloneUrl', `must be a repository at ${account.base_url}, where the git account is`)
    return await withAccount(access, account, { url: wanted.url }).catch((cause: unknown) => {
      if (!(cause instanceof SourceError)) throw cause
      throw new AppError(cause.isTransient ? 'git_host_unavailable' : 'git_account_refused', { message: cause.message, cause })
    })
  }

  return { connect, lookWith, refuseLostAccount }
}

export type AppSource = ReturnType<typeof createAppSource>

async function isUser(db: Reader, userId: number, account: GitAccountRow): Promise<boolean> {
  return account.project_id === null ? account.user_id === userId : await isMember(db, account.project_id, userId)
}

/** An account that the caller may use in this project. Any other account is treated as missing. */
async function accountFor(
  db: Reader,
  caller: Pick<Caller, 'id'>,
  { projectId, accountId }: { projectId: number; accountId: number },
): Promise<GitAccountRow> {
  const account = await findGitAccount(db, accountId)
  const isOfProject = account !== undefined && (account.project_id === null || account.project_id === projectId)
  if (!isOfProject || !(await isUser(db, caller.id, account))) throw new AppError('git_not_connected')
  return account
}

/** The caller may have lost the account while its host was asked. */
async function refuseLostAccount(
  tx: Reader,
  caller: Caller,
  { projectId, source, current = null }: { projectId: number; source: ConnectedSource; current?: number | null },
): Promise<void> {
  if (source.source_set_by === undefined) return // it was connected to no account
  await accountFor(tx, caller, { projectId, accountId: source.git_provider_id ?? current ?? 0 })
}

function repositoryNamed(account: GitAccountRow, { gitRepository, gitCloneUrl }: SourceInput): string | undefined {
  if (gitRepository) return gitRepository
  if (!gitCloneUrl) return undefined
  const found = repositoryIn(account.base_url, gitCloneUrl)
  if (found === undefined)
    throw fieldError(
      'invalid_source',
      'gitCloneUrl',
      `must be a repository at ${account.base_url}, where the git account is; for any other, set gitProviderId to null`,
    )
  return found
}
