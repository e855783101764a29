const SQLITE_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']
const SYSTEM_CODES = ['ENOSPC', 'EROFS', 'EDQUOT', 'EIO']

/** The disk is full, read-only or failing: nothing was written, and reading may well go on. */
export function isStorageFailure(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return false
  const { code } = cause
  return SYSTEM_CODES.includes(code) || SQLITE_CODES.some((known) => code.startsWith(known))
}

/** Refused before anything was tried: the disk was full a moment ago, and still is. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
  readonly code = 'SQLITE_FULL'

  constructor() {
    super('the disk is full')
  }
}

/** The database itself could not be written, whatever else could. */
export function isDatabaseFailure(cause: unknown): boolean {
  return isStorageFailure(cause) && cause instanceof Error && 'code' in cause && String(cause.code).startsWith('SQLITE')
}

/** Let the unique index decide, and translate its word. */
export function isUniqueViolation(cause: unknown, column: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false
  return cause.code === 'SQLITE_CONSTRAINT_UNIQUE' && cause.message.includes(column)
}
