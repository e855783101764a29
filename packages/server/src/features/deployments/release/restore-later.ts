import { enqueueRestore } from '../../../domain/job-names.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Db } from '../../../store/database.ts'

/** Starts the live release again, in the queue of the app: a deployment may be about to replace it. */
export function createRestoreLater({ db, now }: { db: Db; now: () => Date }) {
  return async ({ id: appId, created_by: by }: Pick<AppRow, 'id' | 'created_by'>): Promise<void> =>
    await db.transaction(async (tx) => await enqueueRestore(tx, appId, { by, at: now() }), { mayUseReserve: true })
}

export type RestoreLater = ReturnType<typeof createRestoreLater>
