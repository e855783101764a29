import type { Updateable } from 'kysely'
import { insertMember, type UserRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { UserTable } from '../../store/people-tables.ts'

export async function listUsers(db: Reader): Promise<UserRow[]> {
  return await db.selectFrom('user').selectAll().orderBy('id').execute()
}

export async function updateUser(tx: Tx, id: number, change: Updateable<UserTable>): Promise<UserRow> {
  return await tx.updateTable('user').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Accounts, and invitations that are open. */
export async function countPeople(db: Reader): Promise<number> {
  const count = async (table: 'user' | 'invitation') =>
    await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  return (await count('user')).count + (await count('invitation')).count
}

export async function countOwners(db: Reader): Promise<number> {
  const row = await db
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return row.count
}

export async function deleteSessionsOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('session').where('user_id', '=', userId).execute()
}

/** Transfers projects and apps to another user, who becomes a member of those projects. */
export async function handOver(tx: Tx, from: number, to: number, at: Date): Promise<{ projects: number[]; apps: number[] }> {
  const projects = await tx.updateTable('project').set({ owner_id: to }).where('owner_id', '=', from).returning('id').execute()
  const apps = await tx.updateTable('app').set({ created_by: to }).where('created_by', '=', from).returning(['id', 'project_id']).execute()
  const projectIds = [...new Set([...projects.map((project) => project.id), ...apps.map((app) => app.project_id)])]
  for (const projectId of projectIds) await insertMember(tx, { projectId, userId: to, at })
  return { projects: projects.map((project) => project.id), apps: apps.map((app) => app.id) }
}

export async function deleteUser(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('user').where('id', '=', id).execute()
}
