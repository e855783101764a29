import { setTimeout as sleep } from 'node:timers/promises'
import { deleteLeftVolume, findAppData, HERE, type LeftVolume, listLeftVolumes } from '../domain/app-data.ts'
import { volumesOf } from '../domain/app-volumes.ts'
import { findApp } from '../domain/rows.ts'
import { isConflict, ServerAway } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName, isVolumeOf, ownedBy } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'volumes' | 'placedVolumes' | 'placement'>
  instance: string
  log: Pick<Logger, 'info' | 'warn'>
}

/** Of one server in a turn. An app has fewer. */
const MOST_NAMES = 100
const TURN_MS = 10_000

/**
 * Removes volumes that are left: of deleted apps on other servers, those whose server was lost when somebody asked to delete them, and the old
 * copies of apps that were moved. What the app has again by now stays.
 */
export function createLeftVolumes({ db, engine, instance, log }: Deps) {
  /** After a backup was restored, or when it was moved back. */
  async function isWantedAgain({ app_id, server, volume }: LeftVolume): Promise<boolean> {
    const [app, data] = [await findApp(db, app_id), await findAppData(db, app_id)]
    if (app === undefined || data?.server !== server) return false
    return volume === '' || volumesOf(app).some(({ name }) => name === volume)
  }

  async function namesOf({ app_id, server: serverId, volume }: LeftVolume): Promise<string[]> {
    if (serverId === HERE) return (await engine.volumes.list({ labels: ownedBy({ instance, appId: app_id }) })).map(({ name }) => name)
    if (volume !== '') return [appVolumeName(instance, app_id, volume)]
    return (await engine.placedVolumes.list({ instance, serverId })).filter((name) => isVolumeOf(name, { instance, appId: app_id }))
  }

  /** Nobody reaches a server any more that was removed, or was switched off with Swarm. */
  async function isStillOurs(serverId: string): Promise<boolean> {
    return (await engine.placement.isSwarm()) && (await engine.placement.serverOf(serverId)) !== undefined
  }

  async function removeOne(left: LeftVolume, signal: AbortSignal): Promise<void> {
    const isThere = left.server === HERE || (await isStillOurs(left.server))
    const names = isThere && !(await isWantedAgain(left)) ? await namesOf(left) : []
    for (const name of names.slice(0, MOST_NAMES)) {
      if (left.server === HERE) await engine.volumes.remove(name, signal)
      else await engine.placedVolumes.remove({ instance, serverId: left.server }, name, signal)
      log.info({ appId: left.app_id, server: left.server, volume: name }, 'a volume on another server was removed')
    }
    if (names.length > MOST_NAMES) return // the rest later
    await db.transaction(async (tx) => await deleteLeftVolume(tx, left.id), { mayUseReserve: true })
  }

  async function removeAll(left: readonly LeftVolume[], signal: AbortSignal): Promise<void> {
    for (const each of left)
      await removeOne(each, signal).catch((err: unknown) => {
        if (signal.aborted || err instanceof ServerAway || isConflict(err)) return // it is lost, or a container is just ending
        log.warn({ appId: each.app_id, server: each.server, err }, 'a volume on another server could not be removed; retrying')
      })
  }

  const busy = new Map<string, Promise<void>>() // a removal can take minutes, and longer on a server that means harm

  /** Servers do not wait for each other: a turn ends after a while, and what takes longer goes on. */
  return async function removeLeftVolumes(signal: AbortSignal): Promise<void> {
    const all = Map.groupBy(await listLeftVolumes(db), ({ server }) => server)
    for (const [server, left] of all) {
      const removing = busy.get(server) ?? removeAll(left, signal).finally(() => busy.delete(server))
      busy.set(server, removing)
    }
    const turn = new AbortController()
    const waited = sleep(TURN_MS, undefined, { signal: AbortSignal.any([turn.signal, signal]) }).catch(() => undefined)
    await Promise.race([Promise.all(busy.values()), waited])
    turn.abort()
  }
}
