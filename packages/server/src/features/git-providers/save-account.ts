import type { NewGitAccount } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { HostUser } from '../../git-hosts/host.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Tx } from '../../store/database.ts'
import { refuseMoreAccounts, refuseMoreAdded } from './account-quotas.ts'
import { aboutToken } from './host-access.ts'
import { findSame, insertAccount, updateAccount } from './store.ts'

export function aboutSecret(accountId: number): string {
  return `git-webhook:${accountId}`
}

type Verified = Omit<NewGitAccount, 'projectId'> & { baseUrl: string; user: HostUser; userId: number | null; projectId: number | null }

export function createSaveAccount({ secrets, now }: { secrets: SecretBox; now: () => Date }) {
  /** If the same identity is already connected, it gets the new token, which its apps then use. */
  return async function save(tx: Tx, caller: Caller, account: Verified): Promise<number> {
    const at = now()
    const time = at.toISOString()
    const { baseUrl, provider, user, userId, projectId } = account
    const hostId = String(user.id)
    const same = await findSame(tx, account, { baseUrl, hostId })
    const name = account.name ?? same?.name ?? user.login
    if (!same) await refuseMoreAccounts(tx, account)
    if (same?.created_by !== caller.id) await refuseMoreAdded(tx, caller.id)
    const known = { provider, name, login: user.login, created_by: caller.id, status: 'ok', error: '', updated_at: time } as const
    const id =
      same?.id ??
      (await insertAccount(tx, {
        ...known,
        via: 'token',
        base_url: baseUrl,
        user_id: userId,
        project_id: projectId,
        host_id: hostId,
        sealed_token: '',
        sealed_secret: '',
        github_app_id: null,
        created_at: time,
      }))
    const sealed_token = secrets.seal(account.token, aboutToken(id))
    await updateAccount(tx, id, { ...known, sealed_token })
    const action = same ? 'git_account.reconnect' : 'git_account.create'
    await recordAudit(tx, at, caller, {
      action,
      subject: 'git_account',
      subjectId: id,
      after: { provider, baseUrl, name, login: user.login, projectId },
    })
    return id
  }
}
