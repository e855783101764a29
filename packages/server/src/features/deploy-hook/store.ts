import { isStaff } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'

/** False if the app no longer exists. */
export async function setHook(tx: Tx, appId: number, hook: { hash: string; by: number | null }): Promise<boolean> {
  const row = tx.updateTable('app').set({ hook_hash: hook.hash, hook_by: hook.by }).where('id', '=', appId)
  return (await row.executeTakeFirst()).numUpdatedRows > 0n
}

/** Whether the person who made the hook of an app may still deploy it: as a member of its project, or as an admin. */
export async function mayMakerDeploy(db: Reader, app: Pick<AppRow, 'hook_by' | 'project_id'>): Promise<boolean> {
  if (app.hook_by === null) return false
  const maker = await db
    .selectFrom('user')
    .leftJoin('project_member', (join) =>
      join.onRef('project_member.user_id', '=', 'user.id').on('project_member.project_id', '=', app.project_id),
    )
    .select(['user.role', 'project_member.user_id as memberId'])
    .where('user.id', '=', app.hook_by)
    .executeTakeFirst()
  return maker !== undefined && (isStaff(maker) || maker.memberId !== null)
}
