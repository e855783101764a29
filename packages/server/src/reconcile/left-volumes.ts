import { deleteLeftVolume, findAppData, HERE, type LeftVolume, listLeftVolumes } from '../domain/app-data.ts'
import { volumesOf } from '../domain/app-volumes.ts'
import { findApp } from '../domain/rows.ts'
import { isConflict, ServerAway } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName, ownedBy, volumeName } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'volumes' | 'placedVolumes' | 'placement'>
  instance: string
  log: Pick<Logger, 'info' | 'warn'>
}

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
    const own = volumeName(instance, app_id)
    return (await engine.placedVolumes.list({ instance, serverId })).filter((name) => name === own || name.startsWith(`${own}-`))
  }

  /** Nobody reaches a server any more that was removed, or was switched off with Swarm. */
  async function isStillOurs(serverId: string): Promise<boolean> {
    return (await engine.placement.isSwarm()) && (await engine.placement.serverOf(serverId)) !== undefined
  }

  async function removeOne(left: LeftVolume): Promise<void> {
    const isThere = left.server === HERE || (await isStillOurs(left.server))
    if (isThere && !(await isWantedAgain(left)))
      for (const name of await namesOf(left)) {
        if (left.server === HERE) await engine.volumes.remove(name)
        else await engine.placedVolumes.remove({ instance, serverId: left.server }, name)
        log.info({ appId: left.app_id, server: left.server, volume: name }, 'a volume on another server was removed')
      }
    await db.transaction(async (tx) => await deleteLeftVolume(tx, left.id), { mayUseReserve: true })
  }

  return async function removeLeftVolumes(): Promise<void> {
    const left = await listLeftVolumes(db)
    for (const each of left)
      await removeOne(each).catch((err: unknown) => {
        if (err instanceof ServerAway || isConflict(err)) return // it is lost, or a container is just ending
        log.warn({ appId: each.app_id, server: each.server, err }, 'a volume on another server could not be removed; retrying')
      })
  }
}
