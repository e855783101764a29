import { findAppData, findDataMove, HERE, insertLeftVolume } from '../../domain/app-data.ts'
import { setAppStatus } from '../../domain/app-status.ts'
import { PLATFORM, recordAudit } from '../../domain/audit.ts'
import type { JobHandlers } from '../../domain/job-names.ts'
import { type AppRow, findApp } from '../../domain/rows.ts'
import { EngineError, EngineUnreachable, ServerAway } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { ownedBy, volumeName } from '../../engine/labels.ts'
import { ArchiveRefused } from '../../engine/swarm/agent-archives.ts'
import { appendEvent } from '../../events/event-log.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Step } from '../../lib/step.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { AppContainers } from '../deployments/release/app-containers.ts'
import { type DataMove, deleteMove, noteProblem, setPlacement, setStage, switchData } from './store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'containers' | 'volumes' | 'placedVolumes' | 'copyVolume' | 'networks'>
  instance: string
  containers: Pick<AppContainers, 'ofApp'>
  graceSeconds: number
  /** Starts the live release where the data is, and writes whether that worked. */
  restore: JobHandlers['app.restore']
  step: Step
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
  onChanged: (appId: number) => void
}

const at = (server: string): string | undefined => (server === HERE ? undefined : server)
const called = (server: string, name: string): string =>
  server === HERE ? 'the server that Berth runs on' : `the server ${name || server}`

/**
 * Moves the data of an app: stop, copy and compare, switch, start, and only then let go of the old copy. Until the switch, which is one
 * transaction, the data is where it was, and what is at the destination is worthless; from then on the other way round. So a process that
 * ends on any line leaves one server that has all of it, and the next one goes on from the stage in the row.
 *
 *   copying ──► switched ──► done
 *      └───────────┴──► back ──► done, where it was
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

type Moving = { readonly move: DataMove; readonly app: AppRow; readonly signal: AbortSignal }

function createStopping({ db, engine, containers, graceSeconds, now, onChanged }: Deps) {
  async function stop({ app, signal }: Moving): Promise<void> {
    const all = await containers.ofApp(app.id, signal)
    await Promise.all(all.map(async ({ id }) => await engine.containers.stop(id, graceSeconds, signal)))
    const up = (await containers.ofApp(app.id, signal)).filter(({ state }) => state === 'running' || state === 'paused')
    if (up.length > 0) throw new EngineError(500, `The app could not be stopped: ${up.map(({ name }) => name).join(', ')} still runs.`)
  }

  /** Nobody looks after it meanwhile: its queue is busy. */
  async function sayStopped({ app, move }: Moving): Promise<void> {
    const reason = `The app is being moved to ${called(move.to_server, move.to_name)}, and is started again then.`
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'stopped', reason, wanted: 'running' }))
    onChanged(app.id)
  }

  return { stop, sayStopped }
}

/** Stops the app, and copies each of its volumes. What goes wrong is a reason to go back, unless this process or its engine is going away. */
function createCopying(deps: Deps) {
  const { db, engine, instance, step, log } = deps
  const { stop, sayStopped } = createStopping(deps)

  async function volumesOf({ app, move, signal }: Moving): Promise<string[]> {
    const serverId = at(move.from_server)
    if (serverId === undefined)
      return (await engine.volumes.list({ labels: ownedBy({ instance, appId: app.id }), signal })).map(({ name }) => name)
    const own = volumeName(instance, app.id)
    return (await engine.placedVolumes.list({ instance, serverId }, signal)).filter((name) => name === own || name.startsWith(`${own}-`))
  }

  async function copyAll(moving: Moving): Promise<void> {
    const { app, move, signal } = moving
    const owner = { instance, projectId: app.project_id, appId: app.id }
    await engine.networks.ensureProjectNetwork(owner, signal)
    for (const volume of await volumesOf(moving)) {
      const places = { from: at(move.from_server), to: at(move.to_server) }
      const { files, bytes } = await step(
        'engine.copy_volume',
        async () => await engine.copyVolume({ app: owner, volume, ...places, signal }),
      )
      log.info({ appId: app.id, volume, files, bytes }, 'a volume was copied to another server')
    }
  }

  async function switchOver(tx: Tx, { app, move }: Moving): Promise<void> {
    if (!(await setStage(tx, move, { stage: 'switched', problem: '' }))) return
    const { from_server: from, to_server: to, to_name: toName } = move
    if (!(await switchData(tx, { appId: app.id, from, to, toName, problem: '' }))) throw new Error('the data of the app is elsewhere')
    await setPlacement(tx, app.id, { placement: to === HERE ? HERE : `server:${to}`, at: deps.now().toISOString() })
  }

  return async function copying(moving: Moving): Promise<void> {
    try {
      await step('engine.stop_for_move', async () => await stop(moving))
      await sayStopped(moving)
      await copyAll(moving)
    } catch (cause) {
      if (moving.signal.aborted || cause instanceof EngineUnreachable) throw cause
      log.warn({ appId: moving.app.id, err: cause }, 'the data of an app could not be moved')
      const problem = `The app was not moved to ${called(moving.move.to_server, moving.move.to_name)}: ${reasonOf(cause)}`
      await db.transaction(async (tx) => void (await setStage(tx, moving.move, { stage: 'back', problem })), { mayUseReserve: true })
      return
    }
    await step('db.switch_data', async () => await db.transaction(async (tx) => await switchOver(tx, moving)))
  }
}

/** Its containers are where it was, stopped. Those it has from now on are made where its data is. */
async function startAnew({ engine, containers, restore, step }: Deps, { app, signal }: Moving): Promise<void> {
  await step('engine.remove_moved', async () => {
    for (const { id } of await containers.ofApp(app.id, signal)) await engine.containers.remove(id, signal)
  })
  await restore({ appId: app.id }, signal)
}

function createStarting(deps: Deps) {
  const { db, now, step } = deps

  /** The old copy is complete, and nobody has written to it. */
  async function takeBack(tx: Tx, { app, move }: Moving, reason: string): Promise<void> {
    const problem = `The app was moved to ${called(move.to_server, move.to_name)} and did not start there, so it was moved back: ${reason}`
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

const LONGEST_REASON = 500

/** For people; what an engine says about a full disk is not. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/no space left|ENOSPC/i.test(message))
    return 'there is no space left on the disk of one of the servers. Free some, then move it again.'
  const isKnown = cause instanceof ServerAway || cause instanceof EngineError || cause instanceof ArchiveRefused
  return isKnown ? message.slice(0, LONGEST_REASON) : `the connection between the servers was lost (${message.slice(0, LONGEST_REASON)}).`
}
