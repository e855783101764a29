import { AppError } from '../lib/app-error.ts'
import type { Db } from './database.ts'

/**
 * Closed while a new version is watched after it migrated the database: if it has to go, the database goes back to the copy made before,
 * so nothing may be written that would be lost then (docs/decisions/0014).
 */
export function createUpdateGate() {
  let isClosed = false

  function guard(db: Db): Db {
    const transaction: Db['transaction'] = async (work, options) => {
      if (isClosed) throw new AppError('update_in_check')
      return await db.transaction(work, options)
    }
    return { ...db, transaction }
  }

  return { guard, close: () => (isClosed = true), open: () => (isClosed = false) }
}
