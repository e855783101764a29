import type { AppRow } from '../../domain/rows.ts'
import { parseCloneUrl } from '../../git/clone-url.ts'
import type { Source } from '../../git/git-visit.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { aboutKey } from './service.ts'
import { findHostKey, findSealedKey, replaceHostKey } from './store.ts'

type Deps = { db: Db; secrets: SecretBox; sourceOf: (app: AppRow) => Promise<Source> }

/** The source of an app as git needs it, with the app's deploy key for ssh URLs. */
export function createKeyedSource({ db, secrets, sourceOf }: Deps) {
  return async function keyedSource(app: AppRow): Promise<Source> {
    const source = await sourceOf(app)
    if (parseCloneUrl(source.url)?.kind !== 'ssh') return source
    const sealed = await findSealedKey(db, app.id)
    if (sealed === undefined) return source
    return {
      ...source,
      ssh: {
        privateKey: secrets.open(sealed, aboutKey(app.id)),
        hostKey: async () => await findHostKey(db, app.id),
        pin: async (after, before) =>
          await db.transaction(
            async (tx) => (await replaceHostKey(tx, app.id, { before, after })) || (await findHostKey(tx, app.id)) === after,
          ),
      },
    }
  }
}
