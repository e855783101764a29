import { findAppData, findDataMove, insertLeftVolume } from '../../domain/app-data.ts'
import { PLATFORM, recordAudit } from '../../domain/audit.ts'
import type { JobHandlers } from '../../domain/job-names.ts'
import type { Routes } from '../../domain/routes.ts'
import { type AppRow, findApp } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Tx } from '../../store/database.ts'
import { type CopyingDeps, createCopying } from './copying.ts'
import { type Moving, serverInWords } from './moving.ts'
import { deleteMove, noteProblem, setPlacement, setStage, switchData } from './store.ts'

type Deps = CopyingDeps & {
  /** Starts the live release where the data is, and writes whether that worked. */
  restore: JobHandlers['app.restore']
  routes: Pick<Routes, 'restore'>
}

/**
 * Moves the data of an app: stop, copy and compare, switch, start, and only then remove the old copy. The switch is one transaction. Before it
 * only the data on the old server counts, after it only the copy. So wherever a process ends, one server has all of the data, and the next
 * process continues with the stage in the row.
 *
 *   copying ──► switched ──► done
 *      └───────────┴──► back ──► done, where it was
 *
 * A person who stops a move sets the stage `back` while it is `copying`.
 */
export function createMoveApp(deps: Deps): JobHandlers['app.move'] {
  const { db, log } = deps
  const stages = { copying: createCopying(deps), switched: createStarting(deps), back: createGoingBack(deps) }

  return async function moveApp({ appId }, signal) {
    for (;;) {
      const [move, app] = [await findDataMove(db, appId), await findApp(db, appId)]
      if (move === undefined || app === undefined) return // it has ended, or the app was deleted
      log.info({ appId, stage: move.stage, from: move.from_server, to: move.to_server }, 'moving the data of an app')
      await stages[move.stage]({ move, app, signal })
      deps.onChanged(appId)
    }
  }
}

/** Removes the stopped containers at the old place, and starts the app where its data is now. */
async function startAnew({ engine, containers, restore, routes, step, log }: Deps, { app, signal }: Moving): Promise<void> {
  await step('engine.remove_moved', async () => {
    for (const { id } of await containers.ofApp(app.id, signal)) await engine.containers.remove(id, signal)
  })
  await restore({ appId: app.id }, signal)
  // a move only ends when visitors reach the app again; an edge that cannot be reached now catches up by itself
  await routes.restore(app.id).catch((err: unknown) => log.warn({ appId: app.id, err }, 'the edge does not lead to a moved app yet'))
}

function createStarting(deps: Deps) {
  const { db, now, step } = deps

  /** The old copy is still complete: nothing has written to it since it was copied. */
  async function takeBack(tx: Tx, { app, move }: Moving, reason: string): Promise<void> {
    const problem = `The app was moved to ${serverInWords(move.to_server, move.to_name)} and did not start there, so it was moved back: ${reason}`
    if (!(await setStage(tx, move, { stage: 'back', problem }))) return
    const { from_server: to, to_server: from, from_name: toName } = move
    await switchData(tx, { appId: app.id, from, to, toName, problem: '' })
    await setPlacement(tx, app.id, { placement: move.from_placement, at: now().toISOString() })
  }

  async function finish(tx: Tx, { app, move }: Moving): Promise<void> {
    await deleteMove(tx, app.id)
    await insertLeftVolume(tx, { app_id: app.id, server: move.from_server, volume: '' })
    await tellEnd(tx, now(), app, { after: { server: move.to_name || move.to_server } })
  }

  return async function starting(moving: Moving): Promise<void> {
    await startAnew(deps, moving)
    const app = await findApp(db, moving.app.id)
    const hasStarted = app?.wanted !== 'running' || app.status === 'running'
    await step('db.end_move', async () => {
      const write = async (tx: Tx) => (hasStarted ? await finish(tx, moving) : await takeBack(tx, moving, app.status_reason))
      await db.transaction(write, { mayUseReserve: true })
    })
  }
}

function createGoingBack(deps: Deps) {
  const { db, now, step } = deps

  return async function goingBack(moving: Moving): Promise<void> {
    const { app, move } = moving
    await startAnew(deps, moving)
    await step('db.end_move', async () => {
      const write = async (tx: Tx) => {
        await deleteMove(tx, app.id)
        await noteProblem(tx, app.id, move.problem)
        const data = await findAppData(tx, app.id)
        if (data?.server !== move.to_server) await insertLeftVolume(tx, { app_id: app.id, server: move.to_server, volume: '' })
        await tellEnd(tx, now(), app, { after: { problem: move.problem } })
      }
      await db.transaction(write, { mayUseReserve: true })
    })
  }
}

async function tellEnd(tx: Tx, when: Date, app: AppRow, words: { after: Record<string, string> }): Promise<void> {
  await recordAudit(tx, when, PLATFORM, { action: 'app.move_end', subject: 'app', subjectId: app.id, ...words })
  await appendEvent(tx, when, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
}
