import { volumesOf } from '../domain/app-volumes.ts'
import { PLATFORM, recordAudit } from '../domain/audit.ts'
import type { JobPayloads } from '../domain/job-names.ts'
import { findApp } from '../domain/rows.ts'
import { isConflict } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Step } from '../lib/step.ts'
import type { Db } from '../store/database.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'volumes'>
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

  return async function removeVolume(asked: JobPayloads['volume.remove'], signal: AbortSignal): Promise<void> {
    const { appId, volume } = asked
    const app = await findApp(db, appId)
    if (app && volumesOf(app).some(({ name }) => name === volume)) return await noteKept(asked, 'it is in the settings again')
    if (app && (await liveVolumes(appId)).includes(volume)) return await noteKept(asked, 'the live release has it') // after a rollback
    const isRemoved = await step('engine.remove_volume', async () => {
      return await engine.volumes.remove(appVolumeName(instance, appId, volume), signal).then(
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
