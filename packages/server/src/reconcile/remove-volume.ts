import { volumesOf } from '../domain/app-volumes.ts'
import type { JobPayloads } from '../domain/job-names.ts'
import { findApp } from '../domain/rows.ts'
import { isConflict } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Step } from '../lib/step.ts'
import type { Reader } from '../store/database.ts'

type Deps = { db: Reader; engine: Pick<Engine, 'volumes'>; instance: string; step: Step; log: Pick<Logger, 'warn'> }

/** Removes a volume that somebody asked to delete, also if the app was deleted since; not if the app has it again by now. */
export function createRemoveVolume({ db, engine, instance, step, log }: Deps) {
  return async function removeVolume({ appId, volume }: JobPayloads['volume.remove'], signal: AbortSignal): Promise<void> {
    const app = await findApp(db, appId)
    if (app && volumesOf(app).some(({ name }) => name === volume)) return
    await step('engine.remove_volume', async () => {
      await engine.volumes.remove(appVolumeName(instance, appId, volume), signal).catch((err: unknown) => {
        if (!isConflict(err)) throw err
        log.warn({ appId, volume, err }, 'a volume was not deleted, because a container has it again') // a rollback that was queued before
      })
    })
  }
}
