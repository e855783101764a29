import type { Db } from '../../store/database.ts'
import { appsWithMoreThan, deleteDeployments, finishedBeyond } from './history-store.ts'

type Deps = { db: Db; kept?: number; atOnce?: number }

const KEPT_DEPLOYMENTS = 200
/** In one transaction, so that other writes do not wait long. */
const AT_ONCE = 200

/**
 * Keeps the newest finished deployments of each app, so that nobody fills the disk with their rows and logs. Only rows go here: the
 * sweep of leftovers removes the files that no row names, also those of a process that ended in between.
 */
export function createForgetOld({ db, kept = KEPT_DEPLOYMENTS, atOnce = AT_ONCE }: Deps) {
  async function forgetSome(appId: number): Promise<number> {
    return await db.transaction(
      async (tx) => {
        const ids = await finishedBeyond(tx, { appId, kept, limit: atOnce })
        if (ids.length > 0) await deleteDeployments(tx, ids)
        return ids.length
      },
      { mayUseReserve: true },
    )
  }

  return async function forgetOld(signal: AbortSignal): Promise<void> {
    for (const appId of await appsWithMoreThan(db, kept)) {
      // looking is a read: an app with nothing to forget costs no write
      while (!signal.aborted && (await finishedBeyond(db, { appId, kept, limit: 1 })).length > 0) await forgetSome(appId)
    }
  }
}
