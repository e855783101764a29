import type { AppCall, Caller } from '../../src/domain/caller.ts'
import { type AppRow, type DeploymentRow, insertUser } from '../../src/domain/rows.ts'
import { insertDeployment, moveDeployment, noteDeployment } from '../../src/features/deployments/store.ts'
import type { Db, Tx } from '../../src/store/database.ts'

/** An app in a database, with an owner of its own. */
export async function addApp(db: Db, email: string, now = new Date()): Promise<AppRow> {
  const at = now.toISOString()
  return await db.transaction(async (tx) => {
    const owner = await insertUser(tx, { email, passwordHash: '', role: 'owner', at: now })
    const times = { created_at: at, updated_at: at }
    const project = { name: email, slug: email, description: '', tags: '[]', owner_id: owner.id, ...times }
    const { id } = await tx.insertInto('project').values(project).returning('id').executeTakeFirstOrThrow()
    const texts = { description: '', status_reason: '', git_repository: '', git_branch: '', git_clone_url: '', root_directory: '' }
    const nothing = { port: null, git_provider_id: null, dockerfile_path: null, cpu_limit: null, memory_limit: null }
    return await tx
      .insertInto('app')
      .values({
        ...texts,
        ...nothing,
        ...times,
        project_id: id,
        name: 'a',
        slug: 'a',
        app_type: 'web',
        status: 'stopped',
        wanted: 'running',
        created_by: owner.id,
        healthcheck_path: '',
        template_name: '',
        deployment_strategy: 'rolling',
        restart_policy: 'always',
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/** A deployment that runs at this moment, with these settings. */
export async function addDeployment(
  db: Db,
  app: AppRow,
  change: { sealed_config: string; image: string; release_of?: number | null },
): Promise<DeploymentRow> {
  const at = new Date()
  const commit = { hash: '', message: '', author: '' }
  return await db.transaction(async (tx) => {
    const { id } = await insertDeployment(tx, { app, trigger: 'manual', triggeredBy: null, commit, at })
    await moveDeployment(tx, { id, from: 'pending', to: 'building', at })
    await moveDeployment(tx, { id, from: 'building', to: 'deploying', at })
    return await noteDeployment(tx, { id, status: 'deploying', at, change })
  })
}

/** The live release of an app, with these settings. */
export async function addLiveRelease(db: Db, app: AppRow, { sealed_config = '', main_service = '' } = {}): Promise<DeploymentRow> {
  const { id } = await addDeployment(db, app, { sealed_config, image: main_service === '' ? 'i' : '' })
  const change = { is_active: 1, ...(main_service !== '' && { main_service }) } as const
  return await db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date(), change }))
}

/** More apps in the project of this one, each with as many failed deployments. */
export async function addHistories(tx: Tx, app: AppRow, { apps, deployments }: { apps: number; deployments: number }): Promise<void> {
  const { id: _, ...row } = app
  const names = Array.from({ length: apps }, (_each, n) => ({ ...row, name: `old-${n}`, slug: `old-${n}` }))
  const added = await tx.insertInto('app').values(names).returning('id').execute()
  const at = new Date()
  const first = await insertDeployment(tx, { app, trigger: 'manual', triggeredBy: null, commit: { hash: '', message: '', author: '' }, at })
  const { id: _own, ...failed } = { ...first, status: 'failed', finished_at: at.toISOString() } as const
  await tx.deleteFrom('deployment').where('id', '=', first.id).execute()
  for (const { id: app_id } of added)
    await tx
      .insertInto('deployment')
      .values(Array.from({ length: deployments }, (_each, n) => ({ ...failed, app_id, number: n + 1 })))
      .execute()
}

/** A call that stays authorised. */
export function asCall(caller: Caller, app: AppRow): AppCall {
  return { caller, app, again: async () => ({ caller, app }) }
}
