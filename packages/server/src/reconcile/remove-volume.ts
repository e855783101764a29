import { findAppData, HERE, insertLeftVolume } from '../domain/app-data.ts'
import { volumesOf } from '../domain/app-volumes.ts'
import { PLATFORM, recordAudit } from '../domain/audit.ts'
import type { JobPayloads } from '../domain/job-names.ts'
import { findApp } from '../domain/rows.ts'
import { isConflict, ServerAway } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Step } from '../lib/step.ts'
import type { Db } from '../store/database.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'volumes' | 'placedVolumes'>
  instance: string
  /** The volumes that the live release was started with. */
  liveVolumes: (appId: number) => Promise<string[]>
  step: Step
  now: () => Date
  log: Pick<Logger, 'warn'>
}

/** Removes a volume that somebody asked to delete, also if the app was deleted since; not if the app has it again by now. */
export function createRemoveVolume({ db, engine, instance, liveVolumes, step, now, log }: Deps) {
  /** Whoever asked was told that it is being deleted, so the audit log says that it was not. */
  async function noteKept({ appId, volume }: JobPayloads['volume.remove'], reason: string): Promise<void> {
    log.warn({ appId, volume, reason }, 'a volume was not deleted')
    const line = { action: 'volume.keep', subject: 'app', subjectId: appId, after: { volume, reason } }
    await db.transaction(async (tx) => await recordAudit(tx, now(), PLATFORM, line), { mayUseReserve: true })
  }

  async function otherServer({ appId }: JobPayloads['volume.remove']): Promise<string | undefined> {
    const data = await findAppData(db, appId)
    return data === undefined || data.server === HERE ? undefined : data.server
  }

  /** If that server is lost, once it is back. */
  async function removeThere(
    { appId: app_id, volume }: JobPayloads['volume.remove'],
    { serverId, name }: { serverId: string; name: string },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await engine.placedVolumes.remove({ instance, serverId }, name, signal)
    } catch (cause) {
      if (!(cause instanceof ServerAway)) throw cause
      const left = { app_id, server: serverId, volume }
      await db.transaction(async (tx) => await insertLeftVolume(tx, left), { mayUseReserve: true })
    }
  }

  return async function removeVolume(asked: JobPayloads['volume.remove'], signal: AbortSignal): Promise<void> {
    const { appId, volume } = asked
    const app = await findApp(db, appId)
    if (app && volumesOf(app).some(({ name }) => name === volume)) return await noteKept(asked, 'it is in the settings again')
    if (app && (await liveVolumes(appId)).includes(volume)) return await noteKept(asked, 'the live release has it') // after a rollback
    const serverId = await otherServer(asked)
    const name = appVolumeName(instance, appId, volume)
    const remove = async () =>
      serverId === undefined ? await engine.volumes.remove(name, signal) : await removeThere(asked, { serverId, name }, signal)
    const isRemoved = await step('engine.remove_volume', async () => {
      return await remove().then(
        () => true,
        (cause: unknown) => {
          if (!isConflict(cause)) throw cause
          return false
        },
      )
    })
    if (!isRemoved) await noteKept(asked, 'a container has it')
  }
}
