import { recordAudit } from '../../../domain/audit.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Ownership } from '../../../domain/ownership.ts'
import type { GitHubAppRow } from '../../../domain/rows.ts'
import type { NewApp } from '../../../git-hosts/github-app.ts'
import { fieldError } from '../../../lib/app-error.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Tx } from '../../../store/database.ts'
import { refuseMoreGitHubApps } from '../account-quotas.ts'
import { aboutAppKey, aboutAppSecret } from './app-identity.ts'
import { deleteApp, findAppAt, forgetUnused, hasInstallations, insertApp, updateApp } from './store.ts'

const UNUSED_MS = 7 * 24 * 3600_000

type Connecting = { baseUrl: string; hookKey: string; hookUrl: string; isSecretChosen: boolean; belonging: Ownership }

export function createSaveApp({ secrets, now }: { secrets: SecretBox; now: () => Date }) {
  /** An app that is already connected gets the new key and secret, and keeps its webhook URL. */
  return async function save(tx: Tx, caller: Caller, connecting: Connecting, made: NewApp): Promise<number> {
    const { baseUrl, hookKey, hookUrl, isSecretChosen, belonging } = connecting
    const at = now()
    await forgetUnused(tx, new Date(at.getTime() - UNUSED_MS))
    const same = await sameApp(tx, { baseUrl, hostId: made.hostId }, belonging)
    if (same?.created_by !== caller.id) await refuseMoreGitHubApps(tx, caller.id)
    const key = same?.hook_key ?? hookKey
    const known = {
      slug: made.slug,
      name: made.name,
      created_by: caller.id,
      sealed_key: secrets.seal(made.privateKey, aboutAppKey(key)),
      sealed_secret: secrets.seal(made.webhookSecret, aboutAppSecret(key)),
      chosen_secret: isSecretChosen ? 1 : 0,
    } as const
    const fresh = { hook_url: hookUrl, hook_error: '', hook_failures: 0, hook_next_try_at: at.toISOString(), created_at: at.toISOString() }
    const owners = { user_id: belonging.userId, project_id: belonging.projectId }
    if (same) await updateApp(tx, same.id, known)
    const id = same?.id ?? (await insertApp(tx, { ...known, ...fresh, ...owners, base_url: baseUrl, host_id: made.hostId, hook_key: key }))
    const action = same ? 'github_app.reconnect' : 'github_app.create'
    const after = { baseUrl, appId: made.hostId, name: made.name, projectId: belonging.projectId }
    await recordAudit(tx, at, caller, { action, subject: 'github_app', subjectId: id, after })
    return id
  }
}

/** An app has one webhook URL, so it can be connected only once; if it was never installed, it can be connected again. */
async function sameApp(tx: Tx, at: { baseUrl: string; hostId: string }, belonging: Ownership): Promise<GitHubAppRow | undefined> {
  const same = await findAppAt(tx, at.baseUrl, at.hostId)
  if (!same || (same.user_id === belonging.userId && same.project_id === belonging.projectId)) return same
  if (await hasInstallations(tx, same.id))
    throw fieldError(
      'invalid_request',
      'appId',
      'this app is connected already, by another person or for another project; disconnect it there',
    )
  await deleteApp(tx, same.id)
  return undefined
}
