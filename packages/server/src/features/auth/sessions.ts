import { createHash } from 'node:crypto'
import type { SessionInfo } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import { deleteOtherSessions, deleteSession, listSessions } from './store.ts'

/** Identifies a session to its owner. The real id is part of the token and is never shown. */
function nameOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 32)
}

/** Lists and ends the caller's own sessions. */
export function createSessions({ db, now }: { db: Db; now: () => Date }) {
  async function list(caller: Caller): Promise<SessionInfo[]> {
    const rows = await listSessions(db, caller.id, now())
    return rows.map(({ id, created_at, expires_at, address, client }) => ({
      id: nameOf(id),
      createdAt: created_at,
      expiresAt: expires_at,
      address,
      client,
      isCurrent: id === caller.sessionId,
    }))
  }

  async function end(caller: Caller, name: string): Promise<{ ended: number }> {
    const at = now()
    return await db.transaction(async (tx) => {
      const found = (await listSessions(tx, caller.id, at)).find(({ id }) => nameOf(id) === name)
      if (!found) throw new AppError('session_not_found')
      await deleteSession(tx, found.id)
      await recordAudit(tx, at, caller, { action: 'session.end', subject: 'user', subjectId: caller.id, after: { sessions: 1 } })
      return { ended: 1 }
    })
  }

  async function endOthers(caller: Caller): Promise<{ ended: number }> {
    const at = now()
    return await db.transaction(async (tx) => {
      const ended = await deleteOtherSessions(tx, caller.id, caller.sessionId)
      await recordAudit(tx, at, caller, { action: 'session.end', subject: 'user', subjectId: caller.id, after: { sessions: ended } })
      return { ended }
    })
  }

  return { list, end, endOthers }
}

export type Sessions = ReturnType<typeof createSessions>
