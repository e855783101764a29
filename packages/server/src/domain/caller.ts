import type { Role } from '@berth/contract'
import type { Reader } from '../store/database.ts'
import type { AppRow } from './rows.ts'

/** Where a request came from, for the audit log and the log. */
export type Origin = { address: string; requestId: string; isTls: boolean; client: string }

/** The person behind a request, read from the database for every request. */
export type Caller = { id: number; email: string; role: Role; createdAt: string; sessionId: string; origin: Origin }

/**
 * Authorises a call once more and loads its objects again, in the transaction that writes: while a call waits for a host, the caller can
 * lose their rights, and the objects can change.
 */
export type Again<Subject = { caller: Caller }> = (tx: Reader) => Promise<Subject>

/** A call about an app. */
export type AppCall = { caller: Caller; app: AppRow; again: Again<{ caller: Caller; app: AppRow }> }

export function isStaff(caller: { role: Role }): boolean {
  return caller.role !== 'user'
}
