import type { Db } from '../../store/database.ts'
import { countAuditByShare, forgetAuditBefore, forgetAuditOfShare } from './store.ts'

const KEPT_DAYS = 400
const LIMITS = { most: 200_000, batch: 1000 }

/**
 * Forgets old lines of the audit log. If there are still too many, the share with the most lines (`domain/audit.ts`) loses its oldest ones,
 * so that nobody can push out the lines of others. In batches, so that other writes do not wait for long.
 */
export function createForgetAudit({ db, now }: { db: Db; now: () => Date }, { most, batch } = LIMITS) {
  return async (signal: AbortSignal): Promise<void> => {
    const before = new Date(now().getTime() - KEPT_DAYS * 24 * 3600 * 1000)
    while (!signal.aborted) if ((await db.transaction(async (tx) => await forgetAuditBefore(tx, before, batch))) === 0) break
    while (!signal.aborted) {
      const shares = await countAuditByShare(db) // most lines first
      const excess = shares.reduce((sum, { lines }) => sum + lines, 0) - most
      const [first] = shares
      if (excess <= 0 || !first) break
      const count = Math.min(excess, batch, Math.ceil(first.lines / 4)) // then another may have the most
      await db.transaction(async (tx) => await forgetAuditOfShare(tx, first.share, count))
    }
  }
}
