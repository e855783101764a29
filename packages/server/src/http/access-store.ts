import type { Role } from '@berth/contract'
import type { Db, Reader } from '../store/database.ts'

export type SessionUser = { id: number; email: string; role: Role; createdAt: string; expiresAt: string }

type Cached = Pick<Db, 'selectFrom' | 'cachedRead'>

/** Every request asks this, so the query is built once. */
export function createSessionLookup(db: Cached) {
  const query = db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(['user.id', 'user.email', 'user.role', 'user.created_at as createdAt', 'session.expires_at as expiresAt'])
    .where('session.id', '=', '')
    .compile()
  return async (sessionId: string): Promise<SessionUser | undefined> => {
    return (await db.cachedRead(query, sessionId))[0]
  }
}

export function createMembershipLookup(db: Reader) {
  const query = db.selectFrom('project_member').select('user_id').where('project_id', '=', 0).where('user_id', '=', 0).compile()
  return async (projectId: number, userId: number): Promise<boolean> => {
    const { rows } = await db.executeQuery({ ...query, parameters: [projectId, userId] })
    return rows.length > 0
  }
}

export function createProjectsLookup(db: Cached) {
  const query = db.selectFrom('project_member').select('project_id').where('user_id', '=', 0).compile()
  return async (userId: number): Promise<ReadonlySet<number>> => {
    return new Set((await db.cachedRead(query, userId)).map((row) => row.project_id))
  }
}
