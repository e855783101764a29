import { isStaff } from '../../domain/caller.ts'
import { findUser, type GitAccountRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { GitHost } from '../../git-hosts/host.ts'
import type { GitHosts, HostIdentity } from '../../git-hosts/hosts.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { updateAccount } from './store.ts'

export function aboutToken(accountId: number): string {
  return `git-token:${accountId}`
}

/** The way from an account's row to its host. */
export function createHostAccess(deps: { db: Db; secrets: SecretBox; visitHost: GitHosts; now: () => Date }) {
  const { db, secrets, visitHost, now } = deps

  /** Whether private addresses are open to an account is decided by who connected it, as long as that person is an admin. */
  async function identityOf(account: GitAccountRow): Promise<HostIdentity> {
    const creator = account.created_by === null ? undefined : await findUser(db, account.created_by)
    return {
      provider: account.provider,
      baseUrl: account.base_url,
      token: secrets.open(account.sealed_token, aboutToken(account.id)),
      privileged: creator !== undefined && isStaff(creator),
    }
  }

  /** What was found is kept with the account, so that its owner sees it where the accounts are listed. */
  async function note(account: GitAccountRow, error: string): Promise<void> {
    const status = error === '' ? 'ok' : 'error'
    if (account.status === status && account.error === error) return
    await db.transaction(async (tx) => await updateAccount(tx, account.id, { status, error, updated_at: now().toISOString() }))
  }

  async function use<Result>(account: GitAccountRow, work: (host: GitHost) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      const result = await visitHost(await identityOf(account), work, signal)
      await note(account, '')
      return result
    } catch (cause) {
      if (cause instanceof HostError && cause.failure === 'unauthorized') await note(account, cause.message)
      throw cause
    }
  }

  return { identityOf, note, use }
}

export type HostAccess = ReturnType<typeof createHostAccess>

/** What a person asks of hosts waits its turn, however it is asked: a host that answers slowly holds up nobody else. */
export function createInTurn(limiter: Limiter) {
  return async <Result>(caller: { id: number }, work: () => Promise<Result>): Promise<Result> =>
    await limited(limiter, caller, 'Too many git hosts are being asked at this moment; try again in a few seconds.', work)
}

export type InTurn = ReturnType<typeof createInTurn>

/** A failure of the host as the answer to somebody who uses a connected account. */
export function asAppError(cause: unknown): unknown {
  if (!(cause instanceof HostError)) return cause
  const code = CODES[cause.failure]
  return new AppError(code, { message: cause.message, cause })
}

const CODES = {
  unauthorized: 'git_account_refused',
  forbidden: 'git_account_refused',
  missing: 'repository_not_found',
  rate_limited: 'git_host_unavailable',
  unavailable: 'git_host_unavailable',
  refused: 'git_account_refused',
} as const

/** A failure of the host while an account is being connected: what was typed in is wrong, or the host is away. */
export function asFieldError(cause: unknown): unknown {
  if (!(cause instanceof HostError)) return cause
  if (cause.failure === 'rate_limited' || cause.failure === 'unavailable') return asAppError(cause)
  return fieldError('invalid_request', cause.failure === 'refused' || cause.failure === 'missing' ? 'baseUrl' : 'token', cause.message)
}
