import { HERE } from '../../domain/app-data.ts'
import { setAppStatus } from '../../domain/app-status.ts'
import { EngineError, EngineUnreachable, ServerAway } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { isVolumeOf, ownedBy } from '../../engine/labels.ts'
import { ArchiveRefused } from '../../engine/swarm/agent-archives.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Step } from '../../lib/step.ts'
import type { Tuning } from '../../lib/tuning.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { AppContainers } from '../deployments/release/app-containers.ts'
import { idOfOther, type Moving, serverInWords } from './moving.ts'
import { setPlacement, setStage, switchData } from './store.ts'
import { MoveEnded, whileCopying } from './while-copying.ts'

export type CopyingDeps = {
  db: Db
  engine: Pick<Engine, 'containers' | 'volumes' | 'placedVolumes' | 'copyVolume' | 'networks'>
  instance: string
  containers: Pick<AppContainers, 'ofApp'>
  /** The free disk space of the server that Berth runs on. */
  freeHere: () => Promise<number>
  tuning: Pick<Tuning, 'stopGraceSeconds' | 'diskFloorBytes' | 'copyDeadlineMs' | 'copyLookMs'>
  step: Step
  now: () => Date
  log: Pick<Logger, 'info' | 'warn'>
  onChanged: (appId: number) => void
}

function createStopping({ db, engine, containers, tuning, now, onChanged }: CopyingDeps) {
  async function stop({ app, signal }: Moving): Promise<void> {
    const all = await containers.ofApp(app.id, signal)
    await Promise.all(all.map(async ({ id }) => await engine.containers.stop(id, tuning.stopGraceSeconds, signal)))
    const up = (await containers.ofApp(app.id, signal)).filter(({ state }) => state === 'running' || state === 'paused')
    if (up.length > 0) throw new EngineError(500, `The app could not be stopped: ${up.map(({ name }) => name).join(', ')} still runs.`)
  }

  /** Written here, because the jobs that usually write the status wait for the move. */
  async function markStopped({ app, move }: Moving): Promise<void> {
    const reason = `The app is being moved to ${serverInWords(move.to_server, move.to_name)}, and starts again after that.`
    await db.transaction(async (tx) => await setAppStatus(tx, now(), app.id, { status: 'stopped', reason, wanted: 'running' }))
    onChanged(app.id)
  }

  return { stop, markStopped }
}

/** Stops the app, and copies each of its volumes. After any error the app goes back to where it was, unless this process is ending or its engine cannot be reached. */
export function createCopying(deps: CopyingDeps) {
  const { db, step, log, tuning } = deps
  const { stop, markStopped } = createStopping(deps)
  const copyAll = createCopyAll(deps)

  async function switchOver(tx: Tx, { app, move }: Moving): Promise<void> {
    if (!(await setStage(tx, move, { stage: 'switched', problem: '' }))) return // a person has stopped the move
    const { from_server: from, to_server: to, to_name: toName } = move
    if (!(await switchData(tx, { appId: app.id, from, to, toName, problem: '' })))
      throw new Error('the data of the app is not on the server that it is moved from')
    await setPlacement(tx, app.id, { placement: to === HERE ? HERE : `server:${to}`, at: deps.now().toISOString() })
  }

  return async function copying(moving: Moving): Promise<void> {
    try {
      await step('engine.stop_for_move', async () => await stop(moving))
      await markStopped(moving)
      await whileCopying({ db, tuning, log }, moving, async (signal) => await copyAll({ ...moving, signal }))
    } catch (cause) {
      if (moving.signal.aborted || cause instanceof EngineUnreachable) throw cause
      log.warn({ appId: moving.app.id, err: cause }, 'the data of an app could not be moved')
      const problem = `The app was not moved to ${serverInWords(moving.move.to_server, moving.move.to_name)}: ${reasonOf(cause)}`
      await db.transaction(async (tx) => void (await setStage(tx, moving.move, { stage: 'back', problem })), { mayUseReserve: true })
      return
    }
    await step('db.switch_data', async () => await db.transaction(async (tx) => await switchOver(tx, moving)))
  }
}

function createCopyAll({ engine, instance, freeHere, tuning, step, log }: CopyingDeps) {
  async function volumesOf({ app, move, signal }: Moving): Promise<string[]> {
    const serverId = idOfOther(move.from_server)
    if (serverId === undefined)
      return (await engine.volumes.list({ labels: ownedBy({ instance, appId: app.id }), signal })).map(({ name }) => name)
    const all = await engine.placedVolumes.list({ instance, serverId }, signal)
    return all.filter((name) => isVolumeOf(name, { instance, appId: app.id }))
  }

  /** What a copy may take at the destination: one that is too large must not fill the disk that the other apps there use. */
  async function roomFor({ move, signal }: Moving): Promise<number> {
    const serverId = idOfOther(move.to_server)
    const free = serverId === undefined ? await freeHere() : await engine.placedVolumes.freeBytes({ instance, serverId }, signal)
    return free - tuning.diskFloorBytes
  }

  return async function copyAll(moving: Moving): Promise<void> {
    const { app, move, signal } = moving
    const owner = { instance, projectId: app.project_id, appId: app.id }
    await engine.networks.ensureProjectNetwork(owner, signal)
    for (const volume of await volumesOf(moving)) {
      const mostBytes = await roomFor(moving)
      const wanted = { app: owner, volume, from: idOfOther(move.from_server), to: idOfOther(move.to_server), mostBytes, signal }
      const { files, bytes } = await step('engine.copy_volume', async () => await engine.copyVolume(wanted))
      log.info({ appId: app.id, volume, files, bytes }, 'a volume was copied to another server')
    }
  }
}

const LONGEST_REASON = 500

/** In words for people. An engine reports a full disk in words of its own. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/no space left|ENOSPC/i.test(message))
    return 'there is no space left on the disk of one of the servers. Free some, then move it again.'
  const isKnown =
    cause instanceof ServerAway || cause instanceof EngineError || cause instanceof ArchiveRefused || cause instanceof MoveEnded
  return isKnown ? message.slice(0, LONGEST_REASON) : `the connection between the servers was lost (${message.slice(0, LONGEST_REASON)}).`
}
