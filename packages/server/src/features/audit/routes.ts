import type { Handlers } from '../../http/implement.ts'
import type { Reader } from '../../store/database.ts'
import { listAudit } from './store.ts'

export function auditHandlers(db: Reader) {
  return { 'audit.list': async ({ input }) => await listAudit(db, input) } satisfies Partial<Handlers>
}
