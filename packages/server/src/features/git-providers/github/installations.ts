import { type Actor, recordAudit } from '../../../domain/audit.ts'
import type { GitAccountRow, GitHubAppRow } from '../../../domain/rows.ts'
import type { Installation } from '../../../git-hosts/github-app.ts'
import type { Tx } from '../../../store/database.ts'
import { refuseMoreAccounts, refuseMoreAdded } from '../account-quotas.ts'
import { insertAccount, updateAccount } from '../store.ts'
import { removedWords, suspendedWords } from './installation-tokens.ts'
import { findInstalled } from './store.ts'

/** Each installation of an app is an account, with the same owner as the app. */
export function createInstallations({ now, onChanged }: { now: () => Date; onChanged: (accountId: number) => void }) {
  async function save(tx: Tx, actor: Actor, app: GitHubAppRow, installation: Installation): Promise<number> {
    const at = now()
    const time = at.toISOString()
    const { login } = installation
    const error = installation.isSuspended ? suspendedWords({ base_url: app.base_url, login }) : ''
    const known = { login, status: installation.isSuspended ? 'suspended' : 'ok', error, updated_at: time } as const
    const same = await findInstalled(tx, app.id, installation.id)
    if (same) {
      await updateAccount(tx, same.id, known)
      onChanged(same.id)
      return same.id
    }
    const belonging = { userId: app.user_id, projectId: app.project_id }
    await refuseMoreAccounts(tx, belonging)
    if (app.created_by !== null) await refuseMoreAdded(tx, app.created_by)
    const id = await insertAccount(tx, {
      ...known,
      provider: 'github',
      via: 'app',
      name: login,
      base_url: app.base_url,
      user_id: app.user_id,
      project_id: app.project_id,
      created_by: app.created_by,
      host_id: installation.id,
      github_app_id: app.id,
      sealed_token: '',
      sealed_secret: '',
      created_at: time,
    })
    const after = { provider: 'github', via: 'app', app: app.name, baseUrl: app.base_url, login, projectId: app.project_id }
    await recordAudit(tx, at, actor, { action: 'git_account.create', subject: 'git_account', subjectId: id, after })
    return id
  }

  async function end(tx: Tx, account: GitAccountRow, status: 'error' | 'suspended'): Promise<void> {
    const error = status === 'suspended' ? suspendedWords(account) : removedWords(account)
    await updateAccount(tx, account.id, { status, error, updated_at: now().toISOString() })
    onChanged(account.id)
  }

  return { save, end }
}

export type Installations = ReturnType<typeof createInstallations>
