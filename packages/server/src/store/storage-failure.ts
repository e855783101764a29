const SQLITE_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']
const SYSTEM_CODES = ['ENOSPC', 'EROFS', 'EDQUOT', 'EIO']

/** The disk is full, read-only or failing: nothing was written, and reading may well go on. */
export function isStorageFailure(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return false
  const { code } = cause
  return SYSTEM_CODES.includes(code) || SQLITE_CODES.some((known) => code.startsWith(known))
}

/** Let the unique index decide, and translate its word. */
export function isUniqueViolation(cause: unknown, column: string): boolean {
  if (!(cause instanceof Error) || !('code' in cause)) return false
  return cause.code === 'SQLITE_CONSTRAINT_UNIQUE' && cause.message.includes(column)
}
