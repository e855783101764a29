import type { Insertable, Selectable } from 'kysely'
import type { GitAccountRow, GitHubAppRow } from '../../../domain/rows.ts'
import type { Reader, Tx } from '../../../store/database.ts'
import type { GitHubAppTable, GitHubStateTable } from '../../../store/git-tables.ts'

export type StateRow = Selectable<GitHubStateTable>

export async function insertState(tx: Tx, state: StateRow, at: Date): Promise<void> {
  await tx.deleteFrom('github_state').where('expires_at', '<=', at.toISOString()).execute()
  await tx.insertInto('github_state').values(state).execute()
}

export async function countStates(db: Reader, sessionId: string): Promise<number> {
  const found = db.selectFrom('github_state').select((eb) => eb.fn.countAll<number>().as('count'))
  return (await found.where('session_id', '=', sessionId).executeTakeFirstOrThrow()).count
}

/** Of two concurrent requests, only one gets it. */
export async function takeState(tx: Tx, wanted: Pick<StateRow, 'hash' | 'session_id' | 'step'>, at: Date): Promise<StateRow | undefined> {
  return await tx
    .deleteFrom('github_state')
    .where('hash', '=', wanted.hash)
    .where('session_id', '=', wanted.session_id)
    .where('step', '=', wanted.step)
    .where('expires_at', '>', at.toISOString())
    .returningAll()
    .executeTakeFirst()
}

export async function insertApp(tx: Tx, app: Insertable<GitHubAppTable>): Promise<number> {
  const { id } = await tx.insertInto('github_app').values(app).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function countAppsAddedBy(db: Reader, userId: number): Promise<number> {
  const apps = db.selectFrom('github_app').where('created_by', '=', userId)
  return (await apps.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
}

export async function updateApp(tx: Tx, id: number, change: Partial<Omit<GitHubAppRow, 'id'>>): Promise<void> {
  await tx.updateTable('github_app').set(change).where('id', '=', id).execute()
}

export async function deleteApp(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('github_app').where('id', '=', id).execute()
}

export async function findAppAt(db: Reader, baseUrl: string, hostId: string): Promise<GitHubAppRow | undefined> {
  return await db.selectFrom('github_app').selectAll().where('base_url', '=', baseUrl).where('host_id', '=', hostId).executeTakeFirst()
}

export async function findAppByKey(db: Reader, hookKey: string): Promise<GitHubAppRow | undefined> {
  return await db.selectFrom('github_app').selectAll().where('hook_key', '=', hookKey).executeTakeFirst()
}

export async function hasInstallations(db: Reader, appId: number): Promise<boolean> {
  return (await db.selectFrom('git_account').select('id').where('github_app_id', '=', appId).executeTakeFirst()) !== undefined
}

export async function findInstalled(db: Reader, appId: number, installationId: string): Promise<GitAccountRow | undefined> {
  return await db
    .selectFrom('git_account')
    .selectAll()
    .where('github_app_id', '=', appId)
    .where('host_id', '=', installationId)
    .executeTakeFirst()
}

/** Apps created for this server, whose webhook URL we keep up to date. */
export async function listManaged(db: Reader, at: Date): Promise<GitHubAppRow[]> {
  const due = db.selectFrom('github_app').selectAll().where('hook_url', '!=', '')
  return await due.where('hook_next_try_at', '<=', at.toISOString()).execute()
}

/** Apps that were not installed for so long that they are given up. */
export async function forgetUnused(tx: Tx, before: Date): Promise<void> {
  const used = tx.selectFrom('git_account').select('github_app_id').where('github_app_id', 'is not', null)
  await tx.deleteFrom('github_app').where('created_at', '<', before.toISOString()).where('id', 'not in', used).execute()
}
