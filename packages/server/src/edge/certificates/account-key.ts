import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import type { Adopt } from './adopt-files.ts'
import { findAccountKey, insertAccountKey } from './certificates-store.ts'
import { newKey } from './new-key.ts'
import { ABOUT_ACCOUNT } from './sealed-keys.ts'

/**
 * The key of the account at the authority, the same for all nodes. Kept for good: losing it would mean a new account with new rate
 * limits.
 */
export function createAccountKey({ db, secrets, adopt }: { db: Db; secrets: Pick<SecretBox, 'seal' | 'open'>; adopt: Adopt }) {
  return async function accountKey(): Promise<string> {
    await adopt({ orThrow: true })
    const sealed = (await findAccountKey(db)) ?? (await make())
    return secrets.open(sealed, ABOUT_ACCOUNT)
  }

  async function make(): Promise<string> {
    return await db.transaction(async (tx) => {
      const found = await findAccountKey(tx)
      if (found !== undefined) return found
      const sealed = secrets.seal(newKey(), ABOUT_ACCOUNT)
      await insertAccountKey(tx, sealed)
      return sealed
    })
  }
}
