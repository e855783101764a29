import type { AppRow } from '../../domain/rows.ts'
import type { SshAccess } from '../../git/ssh.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { aboutKey } from './service.ts'
import { findHostKey, findSealedKey, replaceHostKey } from './store.ts'

/** What git needs to clone over ssh: the app's deploy key and the pinned key of the host. Undefined for an app without a deploy key. */
export function createSshAccess({ db, secrets }: { db: Db; secrets: SecretBox }) {
  return async function sshAccessOf(app: Pick<AppRow, 'id'>): Promise<SshAccess | undefined> {
    const sealed = await findSealedKey(db, app.id)
    if (sealed === undefined) return undefined
    return {
      privateKey: secrets.open(sealed, aboutKey(app.id)),
      hostKey: async () => await findHostKey(db, app.id),
      pin: async (after, before) =>
        await db.transaction(
          async (tx) => (await replaceHostKey(tx, app.id, { before, after })) || (await findHostKey(tx, app.id)) === after,
        ),
    }
  }
}
