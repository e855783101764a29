import type { DeployHook } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { hashOf, newSecret } from './secret.ts'
import { setHook } from './store.ts'

type Deps = {
  db: Db
  /** The public URL of this server; undefined while it is unknown. */
  publicUrl: () => Promise<string | undefined>
  now: () => Date
}

/** An address and a secret by which a program deploys one app on behalf of whoever made it, and can do nothing else. */
export function createDeployHooks({ db, publicUrl, now }: Deps) {
  async function change(caller: Caller, app: AppRow, hash: string): Promise<void> {
    const at = now()
    await db.transaction(async (tx) => {
      if (!(await setHook(tx, app.id, { hash, by: hash === '' ? null : caller.id }))) throw new AppError('app_not_found')
      const action = hash === '' ? 'app.hook_delete' : 'app.hook_rotate'
      await recordAudit(tx, at, caller, { action, subject: 'app', subjectId: app.id })
      await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
    })
  }

  async function rotate(caller: Caller, app: AppRow): Promise<DeployHook> {
    if (kindOf(app).madeFrom === 'template')
      throw fieldError('invalid_request', 'appId', 'must be an app with a source: a database app has nothing new to deploy')
    const secret = newSecret()
    await change(caller, app, hashOf(secret))
    return { url: `${(await publicUrl()) ?? ''}/api/hooks/deploy/${app.id}`, secret }
  }

  async function remove(caller: Caller, app: AppRow): Promise<{ id: number }> {
    await change(caller, app, '')
    return { id: app.id }
  }

  return { rotate, remove }
}

export type DeployHooks = ReturnType<typeof createDeployHooks>
