import type { DeployKey } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { fingerprintOf, newKeyPair, shownHostKey } from '../../git/ssh-keys.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Tx } from '../../store/database.ts'
import { deleteKey, findHostKey, forgetHostKey, saveKey } from './store.ts'

type Deps = { db: Db; secrets: SecretBox; now: () => Date }
type Fields = Record<string, unknown>
type Change = { action: string; before?: Fields; after?: Fields }

export function aboutKey(appId: number): string {
  return `deploy-key:${appId}`
}

/** The key pair of an app, for repositories cloned over ssh. The private key is sealed and never shown. */
export function createDeployKeys({ db, secrets, now }: Deps) {
  async function changed(tx: Tx, caller: Caller, app: AppRow, change: Change): Promise<void> {
    const at = now()
    await recordAudit(tx, at, caller, { ...change, subject: 'app', subjectId: app.id })
    await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
  }

  async function create(caller: Caller, app: AppRow): Promise<DeployKey> {
    if (kindOf(app).madeFrom === 'template')
      throw fieldError('invalid_request', 'appId', 'must be an app with a source: a database app is not cloned')
    const { publicKey, privateKey } = newKeyPair(`berth-app-${app.id}`)
    const fingerprint = fingerprintOf(publicKey)
    await db.transaction(async (tx) => {
      const sealed = secrets.seal(privateKey, aboutKey(app.id))
      if (!(await saveKey(tx, app.id, { publicKey, sealed }))) throw new AppError('app_not_found')
      await changed(tx, caller, app, { action: 'app.deploy_key_create', after: { fingerprint } })
    })
    return { publicKey, fingerprint }
  }

  async function remove(caller: Caller, app: AppRow): Promise<{ id: number }> {
    await db.transaction(async (tx) => {
      await deleteKey(tx, app.id)
      await changed(tx, caller, app, { action: 'app.deploy_key_delete' })
    })
    return { id: app.id }
  }

  /** The host key is pinned again at the next use. */
  async function forgetHost(caller: Caller, app: AppRow): Promise<{ id: number }> {
    await db.transaction(async (tx) => {
      const before = { hostKey: shownHostKey(await findHostKey(tx, app.id)) }
      await forgetHostKey(tx, app.id)
      await changed(tx, caller, app, { action: 'app.host_key_forget', before })
    })
    return { id: app.id }
  }

  return { create, remove, forgetHost }
}

export type DeployKeys = ReturnType<typeof createDeployKeys>
