import type { Role } from '@berth/contract'

/** Where a request came from, for the audit log and the log. */
export type Origin = { address: string; requestId: string; isTls: boolean; client: string }

/** The person behind a request, read from the database for every request. */
export type Caller = { id: number; email: string; role: Role; createdAt: string; sessionId: string; origin: Origin }

export function isStaff(caller: { role: Role }): boolean {
  return caller.role !== 'user'
}
