import { findAppData, findDataMove, HERE, insertLeftVolume } from '../../domain/app-data.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { enqueue } from '../../domain/job-names.ts'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Step } from '../../lib/step.ts'
import { createYieldTurn } from '../../lib/yield-turn.ts'
import type { Db, Tx } from '../../store/database.ts'
import { deleteApp, listAppRows } from './store.ts'

type Deps = {
  db: Db
  step: Step
  now: () => Date
  /** Called after the commit: cancels a running deployment and removes the routes. */
  onRemoved: (appIds: readonly number[]) => void
}

/** Other requests are answered between two apps, but other writes wait for all of them. */
const APPS_IN_A_TURN_MS = 20

/** Deletes the rows at once; a job then removes everything else that the app owns. */
export function createAppDeletion(deps: Deps) {
  const { db, step, now } = deps

  async function removeInTx(tx: Tx, caller: Caller, app: AppRow, deleteVolumes: boolean): Promise<void> {
    const at = now()
    const [data, move] = [await findAppData(tx, app.id), await findDataMove(tx, app.id)] // they go with the row of the app
    if (!(await deleteApp(tx, app.id))) throw new AppError('app_not_found')
    const removal = { appId: app.id, projectId: app.project_id, deleteVolumes }
    if (move !== undefined) {
      const copy = data?.server === move.to_server ? move.from_server : move.to_server // the other one has the data
      await insertLeftVolume(tx, { app_id: app.id, server: copy, volume: '' })
    }
    if (deleteVolumes && data !== undefined && data.server !== HERE)
      await insertLeftVolume(tx, { app_id: app.id, server: data.server, volume: '' })
    await enqueue(tx, 'app.remove', removal, { by: caller.id, at }) // removes what the app owns outside the database
    const words = { before: { name: app.name }, after: { deleteVolumes } }
    await recordAudit(tx, at, caller, { action: 'app.delete', subject: 'app', subjectId: app.id, ...words })
    await appendEvent(tx, at, { type: 'app.deleted', data: { projectId: app.project_id, appId: app.id } })
  }

  async function remove(caller: Caller, app: AppRow, options: { deleteVolumes: boolean }): Promise<{ id: number }> {
    const write = async (tx: Tx) => await removeInTx(tx, caller, app, options.deleteVolumes)
    await step('db.delete_app', async () => await db.transaction(write, { mayUseReserve: true }))
    deps.onRemoved([app.id])
    return { id: app.id }
  }

  /** For the deletion of a whole project, in its transaction. */
  async function removeOfProject(tx: Tx, caller: Caller, project: { id: number; deleteVolumes: boolean }): Promise<number[]> {
    const apps = await listAppRows(tx, project.id)
    const yieldTurn = createYieldTurn(APPS_IN_A_TURN_MS) // on SQLite the statements are synchronous calls
    for (const app of apps) {
      await yieldTurn()
      await removeInTx(tx, caller, app, project.deleteVolumes)
    }
    return apps.map((app) => app.id)
  }

  return { remove, removeOfProject }
}

export type AppDeletion = ReturnType<typeof createAppDeletion>
