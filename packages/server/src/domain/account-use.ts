import type { Reader } from '../store/database.ts'
import { isStaff } from './caller.ts'
import { type AppRow, findUser, type GitAccountRow, isMember } from './rows.ts'

/**
 * Whether an app may use a git account: one of its project, or a personal one whose owner has set the source of the app, and only while
 * that person has access to the project.
 */
export async function mayUseAccount(
  db: Reader,
  account: Pick<GitAccountRow, 'project_id' | 'user_id'>,
  app: Pick<AppRow, 'project_id' | 'source_set_by'>,
): Promise<boolean> {
  if (account.project_id !== null) return account.project_id === app.project_id
  if (account.user_id === null || account.user_id !== app.source_set_by) return false
  const user = await findUser(db, account.user_id)
  return user !== undefined && (isStaff(user) || (await isMember(db, app.project_id, user.id)))
}
