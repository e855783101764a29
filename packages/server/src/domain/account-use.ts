import type { Reader } from '../store/database.ts'
import { isStaff } from './caller.ts'
import { type AppRow, findUser, type GitAccountRow, type GitHubAppRow, isMember } from './rows.ts'

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
  return await isInProject(db, account.user_id, app.project_id)
}

/**
 * Whether the webhook secret of a GitHub App proves that GitHub sent something. Whoever connected an app by hand chose the secret, and could
 * sign deliveries for the project after leaving it.
 */
export async function isProofOfHost(db: Reader, app: Pick<GitHubAppRow, 'chosen_secret' | 'project_id' | 'created_by'>): Promise<boolean> {
  if (app.chosen_secret === 0 || app.project_id === null) return true
  return app.created_by !== null && (await isInProject(db, app.created_by, app.project_id))
}

async function isInProject(db: Reader, userId: number, projectId: number): Promise<boolean> {
  const user = await findUser(db, userId)
  return user !== undefined && (isStaff(user) || (await isMember(db, projectId, user.id)))
}
