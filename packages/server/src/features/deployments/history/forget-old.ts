import type { Db } from '../../../store/database.ts'
import { appsWithMoreThan, deleteDeployments, finishedBeyond } from './history-store.ts'

type Deps = { db: Db; kept?: number; atOnce?: number }

const KEPT_DEPLOYMENTS = 200
/** Per transaction, so that other writes do not wait long. */
const AT_ONCE = 200

/**
 * Keeps the newest finished deployments of each app, so that rows and logs cannot fill the disk. Only rows are deleted here: the sweep of
 * logs removes files without a row, including those of a process that crashed in between.
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
      // checking only reads, so an app with nothing to delete costs no write
      while (!signal.aborted && (await finishedBeyond(db, { appId, kept, limit: 1 })).length > 0) await forgetSome(appId)
    }
  }
}
