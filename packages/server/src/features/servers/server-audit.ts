import { type Actor, type AuditRecord, recordAudit } from '../../domain/audit.ts'
import type { Db } from '../../store/database.ts'

/** Written before the change: the engine is not part of a transaction, and what was tried must be known. */
export function createServerAudit({ db, now }: { db: Db; now: () => Date }) {
  return async (actor: Actor, action: string, fields: Pick<AuditRecord, 'before' | 'after'> = {}): Promise<void> =>
    await db.transaction(async (tx) => await recordAudit(tx, now(), actor, { action, subject: 'server', ...fields }))
}
