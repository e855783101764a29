import { enqueueRestore } from '../../../domain/job-names.ts'
import { type AppRow, findProject } from '../../../domain/rows.ts'
import type { Db } from '../../../store/database.ts'

/**
 * Starts the live release again, in the queue of the app: a deployment may be about to replace it. It takes the turn of the owner of the
 * project: the app may have been given to its owner, who was not asked.
 */
export function createRestoreLater({ db, now }: { db: Db; now: () => Date }) {
  return async ({ id: appId, project_id: projectId }: Pick<AppRow, 'id' | 'project_id'>): Promise<void> =>
    await db.transaction(
      async (tx) => {
        const by = (await findProject(tx, projectId))?.owner_id ?? null
        await enqueueRestore(tx, appId, { by, at: now() })
      },
      { mayUseReserve: true },
    )
}

export type RestoreLater = ReturnType<typeof createRestoreLater>
