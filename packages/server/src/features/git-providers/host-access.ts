import { isStaff } from '../../domain/caller.ts'
import { findUser, type GitAccountRow } from '../../domain/rows.ts'
import { RepositoryUnreachable, SourceRefused } from '../../git/errors.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { GitHost } from '../../git-hosts/host.ts'
import type { GitHosts, HostIdentity } from '../../git-hosts/hosts.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { type InstallationTokens, removedWords } from './github/installation-tokens.ts'
import { updateAccount } from './store.ts'

export function aboutToken(accountId: number): string {
  return `git-token:${accountId}`
}

type Deps = { db: Db; secrets: SecretBox; visitHost: GitHosts; tokens: InstallationTokens; now: () => Date }

/** Access to git hosts with connected accounts. */
export function createHostAccess(deps: Deps) {
  const { db, secrets, visitHost, tokens, now } = deps

  /** An account may use private addresses while the person who connected it is an admin. */
  async function identityOf(account: GitAccountRow, signal?: AbortSignal): Promise<HostIdentity> {
    const creator = account.created_by === null ? undefined : await findUser(db, account.created_by)
    const { provider, base_url: baseUrl, via } = account
    const token = via === 'app' ? await tokenOf(account, signal) : secrets.open(account.sealed_token, aboutToken(account.id))
    return { provider, baseUrl, via, token, privileged: creator !== undefined && isStaff(creator) }
  }

  /** If no token can be created, the installation is gone, and that is reported instead of the original request's failure. */
  async function tokenOf(account: GitAccountRow, signal: AbortSignal | undefined): Promise<string> {
    return await tokens.tokenOf(account, signal).catch((cause: unknown) => {
      if (!(cause instanceof HostError) || cause.failure !== 'missing') throw cause
      throw new HostError('unauthorized', removedWords(account), { cause })
    })
  }

  /** Saves the result with the account, so that its owner sees it in the list of accounts. */
  async function note(account: GitAccountRow, failure: HostError | undefined): Promise<void> {
    const status = failure === undefined ? 'ok' : failure.failure === 'suspended' ? 'suspended' : 'error'
    const error = failure?.message ?? ''
    if (account.status === status && account.error === error) return
    await db.transaction(async (tx) => await updateAccount(tx, account.id, { status, error, updated_at: now().toISOString() }))
  }

  async function use<Result>(account: GitAccountRow, work: (host: GitHost) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const visit = async () => await visitHost(await identityOf(account, signal), work, signal)
    try {
      const result = await visit().catch(async (cause: unknown) => {
        if (!isUnauthorized(cause) || account.via === 'token') throw cause
        tokens.forget(account.id) // it may have been revoked early, for example while the installation was suspended
        return await visit()
      })
      await note(account, undefined)
      return result
    } catch (cause) {
      const failure = inWordsOf(account, cause)
      if (isUnauthorized(failure) || isSuspended(failure)) await note(account, failure)
      throw failure
    }
  }

  /** Checks the account with its host. A problem is saved and not thrown. */
  async function check(account: GitAccountRow): Promise<void> {
    try {
      if (account.via === 'app') await tokens.look(account)
      else await use(account, async (host) => await host.whoAmI())
      await note(account, undefined)
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause
      const isGone = account.via === 'app' && cause.failure === 'missing'
      await note(account, isGone ? new HostError('missing', removedWords(account), { cause }) : cause)
    }
  }

  /** The credential that git needs for the account's host. */
  async function forClone(account: GitAccountRow, signal?: AbortSignal): Promise<HostIdentity> {
    try {
      return await identityOf(account, signal)
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause
      if (isUnauthorized(cause) || isSuspended(cause)) await note(account, cause)
      if (cause.isTransient) throw new RepositoryUnreachable(cause.message, { isTransient: true, cause })
      throw new SourceRefused(cause.message, { cause })
    }
  }

  return { use, check, forClone }
}

function isUnauthorized(cause: unknown): cause is HostError {
  return cause instanceof HostError && cause.failure === 'unauthorized'
}

function isSuspended(cause: unknown): cause is HostError {
  return cause instanceof HostError && cause.failure === 'suspended'
}

/** A missing repository is fixed in a different place for an app than for a token, so the message differs. */
function inWordsOf(account: GitAccountRow, cause: unknown): unknown {
  if (!(cause instanceof HostError) || account.via === 'token' || cause.failure !== 'missing') return cause
  const where = new URL(account.base_url).hostname
  const words = `The app is not installed on this repository of ${account.login}, or the repository has another name. Choose the repository in the settings of the installation at ${where} (Settings › Applications › Configure), then try again.`
  return new HostError('missing', words, { cause })
}

export type HostAccess = ReturnType<typeof createHostAccess>

/** Limits the requests of one person to git hosts, so that a slow host does not delay others. */
export function createInTurn(limiter: Limiter) {
  return async <Result>(caller: { id: number }, work: () => Promise<Result>): Promise<Result> =>
    await limited(limiter, caller, 'Too many requests to git hosts are running. Try again in a few seconds.', work)
}

export type InTurn = ReturnType<typeof createInTurn>

/** Translates a failure of the host for somebody who uses a connected account. */
export function asAppError(cause: unknown): unknown {
  if (!(cause instanceof HostError)) return cause
  const code = CODES[cause.failure]
  return new AppError(code, { message: cause.message, cause })
}

const CODES = {
  unauthorized: 'git_account_refused',
  forbidden: 'git_account_refused',
  suspended: 'git_account_refused',
  missing: 'repository_not_found',
  rate_limited: 'git_host_unavailable',
  unavailable: 'git_host_unavailable',
  refused: 'git_account_refused',
} as const

/** Translates a failure of the host while an account is being connected: the input is wrong, or the host is unavailable. */
export function asFieldError(cause: unknown): unknown {
  if (!(cause instanceof HostError)) return cause
  if (cause.isTransient) return asAppError(cause)
  return fieldError('invalid_request', cause.failure === 'refused' || cause.failure === 'missing' ? 'baseUrl' : 'token', cause.message)
}
