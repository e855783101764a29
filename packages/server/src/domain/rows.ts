import type { Role } from '@berth/contract'
import type { Selectable } from 'kysely'
import type { Db, Reader, Tx } from '../store/database.ts'
import type { GitAccountTable, GitDeliveryTable, GitHubAppTable } from '../store/git-tables.ts'
import type { UserTable } from '../store/people-tables.ts'
import type { RegistryTable } from '../store/registry-tables.ts'
import type { AppTable, DeploymentTable, DomainTable, EnvVariableTable, ProjectTable, ProjectVariableTable } from '../store/schema.ts'
import { type Placeholders, statement } from '../store/statement.ts'

export type UserRow = Selectable<UserTable>
export type ProjectRow = Selectable<ProjectTable>
export type AppRow = Selectable<AppTable>
export type EnvVariableRow = Selectable<EnvVariableTable>
export type ProjectVariableRow = Selectable<ProjectVariableTable>
export type DomainRow = Selectable<DomainTable>
export type DeploymentRow = Selectable<DeploymentTable>
export type GitAccountRow = Selectable<GitAccountTable>
export type GitHubAppRow = Selectable<GitHubAppTable>
export type RegistryRow = Selectable<RegistryTable>
export type GitDeliveryRow = Selectable<GitDeliveryTable>

export async function findUser(db: Reader, id: number): Promise<UserRow | undefined> {
  return await db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findProject(db: Reader, id: number): Promise<ProjectRow | undefined> {
  return await db.selectFrom('project').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findApp(db: Reader, id: number): Promise<AppRow | undefined> {
  return await db.selectFrom('app').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findEnvVariable(db: Reader, id: number): Promise<EnvVariableRow | undefined> {
  return await db.selectFrom('env_variable').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findDomain(db: Reader, id: number): Promise<DomainRow | undefined> {
  return await db.selectFrom('domain').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findDeployment(db: Reader, id: number): Promise<DeploymentRow | undefined> {
  return await db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirst()
}

const findGitAccounts = statement((db: Reader, { id }: Placeholders<{ id: number }>) =>
  db.selectFrom('git_account').selectAll().where('id', '=', id),
)

export async function findGitAccount(db: Reader, id: number): Promise<GitAccountRow | undefined> {
  return (await findGitAccounts(db, { id }))[0]
}

export async function findRegistry(db: Reader, id: number): Promise<RegistryRow | undefined> {
  return await db.selectFrom('registry').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findGitHubApp(db: Reader, id: number): Promise<GitHubAppRow | undefined> {
  return await db.selectFrom('github_app').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findGitDelivery(db: Reader, id: number): Promise<GitDeliveryRow | undefined> {
  return await db.selectFrom('git_delivery').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The projects whose apps a delivery was for. */
export async function projectsOfDelivery(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('git_delivery_app')
    .innerJoin('app', 'app.id', 'git_delivery_app.app_id')
    .select('app.project_id')
    .distinct()
    .where('delivery_id', '=', id)
    .execute()
  return rows.map(({ project_id }) => project_id)
}

export async function insertUser(tx: Tx, user: { email: string; passwordHash: string; role: Role; at: Date }): Promise<UserRow> {
  return await tx
    .insertInto('user')
    .values({ email: user.email, password_hash: user.passwordHash, role: user.role, created_at: user.at.toISOString() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const findMembers = statement((db: Reader, member: Placeholders<{ projectId: number; userId: number }>) =>
  db.selectFrom('project_member').select('user_id').where('project_id', '=', member.projectId).where('user_id', '=', member.userId),
)

export async function isMember(db: Reader, projectId: number, userId: number): Promise<boolean> {
  return (await findMembers(db, { projectId, userId })).length > 0
}

/** Somebody who is already a member stays one. */
export async function insertMember(tx: Tx, member: { projectId: number; userId: number; at: Date }): Promise<void> {
  await tx
    .insertInto('project_member')
    .values({ project_id: member.projectId, user_id: member.userId, added_at: member.at.toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

type SessionUser = Pick<UserRow, 'id' | 'email' | 'role'> & { createdAt: string; expiresAt: string }
type Cached = Pick<Db, 'selectFrom' | 'cachedRead'>

function sessionUsers(db: Pick<Reader, 'selectFrom'>, sessionId: string) {
  return db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(['user.id', 'user.email', 'user.role', 'user.created_at as createdAt', 'session.expires_at as expiresAt'])
    .where('session.id', '=', sessionId)
}

export async function findSessionUser(db: Reader, sessionId: string): Promise<SessionUser | undefined> {
  return await sessionUsers(db, sessionId).executeTakeFirst()
}

/** Who is logged in with a session. Every request asks this, so the query is built once. */
export function createSessionLookup(db: Cached) {
  const query = sessionUsers(db, '').compile()
  return async (sessionId: string): Promise<SessionUser | undefined> => (await db.cachedRead(query, sessionId))[0]
}

/** The projects that a person is a member of. */
export function createProjectsLookup(db: Cached) {
  const query = db.selectFrom('project_member').select('project_id').where('user_id', '=', 0).compile()
  return async (userId: number): Promise<ReadonlySet<number>> =>
    new Set((await db.cachedRead(query, userId)).map(({ project_id }) => project_id))
}
