import type { Member } from '@berth/contract'
import type { Insertable, Updateable } from 'kysely'
import type { ProjectRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { ProjectTable } from '../../store/schema.ts'

/** Without a user: all of them, for callers who can see everything. */
export async function listProjects(db: Reader, userId: number | undefined): Promise<ProjectRow[]> {
  const all = db.selectFrom('project').selectAll('project').orderBy('project.id')
  if (userId === undefined) return await all.execute()
  return await all
    .innerJoin('project_member', 'project_member.project_id', 'project.id')
    .where('project_member.user_id', '=', userId)
    .execute()
}

export async function isSlugTaken(db: Reader, slug: string): Promise<boolean> {
  return (await db.selectFrom('project').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined
}

export async function countProjectsOf(db: Reader, ownerId: number): Promise<number> {
  const { count } = await db
    .selectFrom('project')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertProject(tx: Tx, project: Insertable<ProjectTable>): Promise<ProjectRow> {
  return await tx.insertInto('project').values(project).returningAll().executeTakeFirstOrThrow()
}

export async function updateProject(tx: Tx, id: number, change: Updateable<ProjectTable>): Promise<ProjectRow | undefined> {
  return await tx.updateTable('project').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteProject(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('project').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function listMembers(db: Reader, projectId: number): Promise<Member[]> {
  return await db
    .selectFrom('project_member')
    .innerJoin('user', 'user.id', 'project_member.user_id')
    .select(['user.id', 'user.email', 'user.role', 'project_member.added_at as addedAt'])
    .where('project_member.project_id', '=', projectId)
    .orderBy('user.id')
    .execute()
}

export async function deleteMember(tx: Tx, projectId: number, userId: number): Promise<void> {
  await tx.deleteFrom('project_member').where('project_id', '=', projectId).where('user_id', '=', userId).execute()
}

export async function findUserIds(
  db: Reader,
  who: { ids: readonly number[]; emails: readonly string[] },
): Promise<{ id: number; email: string }[]> {
  return await db
    .selectFrom('user')
    .select(['id', 'email'])
    .where((eb) =>
      eb.or([eb('id', 'in', who.ids.length > 0 ? who.ids : [0]), eb('email', 'in', who.emails.length > 0 ? who.emails : [''])]),
    )
    .execute()
}
