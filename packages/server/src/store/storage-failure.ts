import { errorCode } from '../lib/error-code.ts'

const SQLITE_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']
const SYSTEM_CODES = ['ENOSPC', 'EROFS', 'EDQUOT', 'EIO']

/** The disk is full, read-only or failing: nothing was written, but reads may still work. */
export function isStorageFailure(cause: unknown): boolean {
  const code = errorCode(cause)
  if (code === undefined) return false
  return SYSTEM_CODES.includes(code) || SQLITE_CODES.some((known) => code.startsWith(known))
}

/** Refused without an attempt: the disk was full a moment ago and still is. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
  readonly code = 'SQLITE_FULL'

  constructor() {
    super('the disk is full')
  }
}

/** The database itself could not be written. */
export function isDatabaseFailure(cause: unknown): boolean {
  return isStorageFailure(cause) && errorCode(cause)?.startsWith('SQLITE') === true
}

/** Relies on the unique index, and translates its error. */
export function isUniqueViolation(cause: unknown, column: string): boolean {
  return cause instanceof Error && errorCode(cause) === 'SQLITE_CONSTRAINT_UNIQUE' && cause.message.includes(column)
}
