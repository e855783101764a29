import { errorCode } from '../lib/error-code.ts'
import { DatabaseLost } from './database-lost.ts'

const SQLITE_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']
const SYSTEM_CODES = ['ENOSPC', 'EROFS', 'EDQUOT', 'EIO']

/** The disk is full, read-only or failing: nothing was written, but reads may still work. Or the database server does not respond. */
export function isStorageFailure(cause: unknown): boolean {
  if (cause instanceof DatabaseLost) return true
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

/** The database itself could not be used. */
export function isDatabaseFailure(cause: unknown): boolean {
  return cause instanceof DatabaseLost || (isStorageFailure(cause) && errorCode(cause)?.startsWith('SQLITE') === true)
}

/** Relies on the unique index of a column, such as `app.name`, and translates its error. */
export function isUniqueViolation(cause: unknown, column: string): boolean {
  if (!(cause instanceof Error)) return false
  if (errorCode(cause) === 'SQLITE_CONSTRAINT_UNIQUE') return cause.message.includes(column)
  if (errorCode(cause) !== '23505' || !('table' in cause) || !('detail' in cause)) return false
  const [table, name = ''] = column.split('.')
  const [columns = ''] = String(cause.detail).split('=') // Key (project_id, lower(name))=(1, shop) already exists.
  return cause.table === table && columns.split(/[^a-z_]+/).includes(name)
}

/** Something that the row refers to was deleted meanwhile. */
export function isReferenceViolation(cause: unknown): boolean {
  return ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'].includes(errorCode(cause) ?? '')
}
