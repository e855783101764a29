import type { Application } from '@berth/contract'
import { findAppData, findDataMove, HERE, listLeftVolumes } from '../../domain/app-data.ts'
import { kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { AppCall, Caller } from '../../domain/caller.ts'
import { enqueue } from '../../domain/job-names.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Engine } from '../../engine/engine.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db, Tx } from '../../store/database.ts'
import { serverInWords } from './moving.ts'
import { insertMove, isAnyMoved, setStage } from './store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'placement' | 'swarm'>
  instance: string
  present: (app: AppRow) => Promise<Application>
  now: () => Date
}
/** A move can take hours, and uses one of the slots that deployments run in. */
const ANOTHER = 'Another app is being moved. One app is moved at a time: try again when that has ended.'

type Destination = { server: string; name: string }

/** Starts and stops moves. The move itself is a job in the lane of the app, so that nothing else starts the app meanwhile. */
export function createMoves({ db, engine, instance, present, now }: Deps) {
  /** The server that Berth runs on is `this`, or its own id in the Swarm. */
  async function destinationOf(server: string): Promise<Destination> {
    if (server === HERE) return { server: HERE, name: '' }
    const isSwarm = await engine.placement.isSwarm()
    const found = isSwarm ? await engine.placement.serverOf(server) : undefined
    if (found === undefined) throw new AppError('server_not_found')
    const state = await engine.swarm.state(instance)
    if (state.is === 'ours' && state.nodeId === found.nodeId) return { server: HERE, name: '' }
    if (!found.isOpen)
      throw new AppError('server_refused', {
        message: `The server ${found.name} takes no containers now: it must be ready, active, and have passed its check. See Servers.`,
      })
    return { server, name: found.name }
  }

  async function refuseLostSource({ server, server_name }: { server: string; server_name: string }): Promise<void> {
    if (server === HERE) return
    const found = (await engine.placement.isSwarm()) ? await engine.placement.serverOf(server) : undefined
    if (found?.isReady) return
    throw new AppError('server_away', {
      message: `The server ${server_name || server}, which has the data of the app, does not answer. The app can be moved when it is back.`,
    })
  }

  async function write(tx: Tx, { caller, app, to }: { caller: Caller; app: AppRow; to: Destination }): Promise<void> {
    const data = await findAppData(tx, app.id)
    if (data === undefined) throw noData()
    if (data.server === to.server) throw new AppError('server_refused', { message: 'The data of the app is on this server already.' })
    if ((await findDataMove(tx, app.id)) !== undefined) throw new AppError('move_under_way')
    if (await isAnyMoved(tx)) throw new AppError('move_under_way', { message: ANOTHER })
    if ((await listLeftVolumes(tx)).some(({ app_id, server }) => app_id === app.id && server === to.server))
      throw new AppError('server_refused', {
        message: 'An old copy of the data is still being removed from this server. Try again in a minute.',
      })
    const at = now()
    const from = { from_server: data.server, from_name: data.server_name, from_placement: app.placement }
    await insertMove(tx, { app_id: app.id, ...from, to_server: to.server, to_name: to.name, stage: 'copying', problem: '' })
    await enqueue(tx, 'app.move', { appId: app.id }, { by: caller.id, at })
    const words = { before: { server: data.server_name || data.server }, after: { server: to.name || to.server } }
    await recordAudit(tx, at, caller, { action: 'app.move', subject: 'app', subjectId: app.id, ...words })
    await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
  }

  async function request({ app, again }: AppCall, server: string): Promise<Application> {
    if (kindOf(app).runsOn === 'this')
      throw fieldError('invalid_request', 'appId', 'must not be a compose app: those run on the server that Berth runs on')
    const data = await findAppData(db, app.id)
    if (data === undefined) throw noData()
    const to = await destinationOf(server)
    await refuseLostSource(data)
    await db.transaction(async (tx) => await write(tx, { ...(await again(tx)), to }))
    return await present(app)
  }

  return { request, stop: createStop({ db, present, now }) }
}

/** The job sees the new stage, and starts the app where it was. After the switch a move can no longer be stopped. */
function createStop({ db, present, now }: Pick<Deps, 'db' | 'present' | 'now'>) {
  return async function stop(caller: Caller, app: AppRow): Promise<Application> {
    await db.transaction(async (tx) => {
      const move = await findDataMove(tx, app.id)
      if (move === undefined) throw new AppError('move_not_running')
      const problem = `The app was not moved to ${serverInWords(move.to_server, move.to_name)}: ${caller.email} stopped the move.`
      if (move.stage !== 'copying' || !(await setStage(tx, move, { stage: 'back', problem }))) throw new AppError('move_not_running')
      const words = { after: { server: move.to_name || move.to_server } }
      await recordAudit(tx, now(), caller, { action: 'app.move_stop', subject: 'app', subjectId: app.id, ...words })
      await appendEvent(tx, now(), { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
    })
    return await present(app)
  }
}

export type Moves = ReturnType<typeof createMoves>

function noData(): AppError {
  return fieldError('invalid_request', 'appId', 'must be an app that was deployed with volumes: others run where their placement says')
}
