import { isStaff } from '../../../domain/caller.ts'
import { findUser, type GitHubAppRow } from '../../../domain/rows.ts'
import type { AppIdentity } from '../../../git-hosts/github-app.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Reader } from '../../../store/database.ts'

export function aboutAppKey(hookKey: string): string {
  return `github-app-key:${hookKey}`
}

export function aboutAppSecret(hookKey: string): string {
  return `github-app-secret:${hookKey}`
}

/** An app may use private addresses while the person who connected it is an admin. */
export async function appIdentity(db: Reader, secrets: SecretBox, app: GitHubAppRow): Promise<AppIdentity> {
  const creator = app.created_by === null ? undefined : await findUser(db, app.created_by)
  return {
    baseUrl: app.base_url,
    hostId: app.host_id,
    privateKey: secrets.open(app.sealed_key, aboutAppKey(app.hook_key)),
    privileged: creator !== undefined && isStaff(creator),
  }
}
