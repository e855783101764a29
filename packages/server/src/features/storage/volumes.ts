import { findAppData, HERE } from '../../domain/app-data.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { AppCall } from '../../domain/caller.ts'
import { enqueueOnce } from '../../domain/job-names.ts'
import type { AppRow } from '../../domain/rows.ts'
import { EngineUnreachable, ServerAway } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { appVolumeName, ownedBy } from '../../engine/labels.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'containers' | 'volumes' | 'placedVolumes'>
  instance: string
  /** The volumes that the live release was started with: its containers may be made again at any time. */
  liveVolumes: (appId: number) => Promise<string[]>
  now: () => Date
}

const STILL_LIVE = 'The live release still has this volume. Deploy the app without it, then delete the volume.'

/** Deletes volumes on request. A job does it, in the queue of the app: a deployment may be about to mount the volume. */
export function createVolumeDeletion({ db, engine, instance, liveVolumes, now }: Deps) {
  async function isThere(app: AppRow, name: string): Promise<boolean> {
    const data = await findAppData(db, app.id)
    if (data !== undefined && data.server !== HERE)
      return (await engine.placedVolumes.look({ instance, serverId: data.server }, name)) !== undefined
    return (await engine.volumes.list({ labels: ownedBy({ instance, appId: app.id }) })).some((volume) => volume.name === name)
  }

  async function refuseInUse(app: AppRow, name: string): Promise<void> {
    const labels = ownedBy({ instance, appId: app.id })
    if (!(await isThere(app, name))) throw new AppError('volume_not_found')
    for (const { id } of await engine.containers.list({ labels }))
      if ((await engine.containers.inspect(id))?.volumes.some((volume) => volume.name === name))
        throw new AppError('volume_in_use', {
          message: 'A container of the app still has this volume. Deploy it, then delete the volume.',
        })
  }

  return async function remove({ app, again }: AppCall, volume: string): Promise<{ volume: string }> {
    if (isInSettings(app, volume)) throw new AppError('volume_in_use')
    if ((await liveVolumes(app.id)).includes(volume)) throw new AppError('volume_in_use', { message: STILL_LIVE })
    await refuseInUse(app, appVolumeName(instance, app.id, volume)).catch((cause: unknown) => {
      if (cause instanceof ServerAway) throw new AppError('server_away', { message: cause.message, cause })
      throw cause instanceof EngineUnreachable ? new AppError('engine_unreachable', { cause }) : cause
    })
    const at = now()
    await db.transaction(async (tx) => {
      const { caller, app: current } = await again(tx)
      if (isInSettings(current, volume)) throw new AppError('volume_in_use')
      if (!(await enqueueOnce(tx, 'volume.remove', { appId: app.id, volume }, { by: caller.id, at }))) return
      await recordAudit(tx, at, caller, { action: 'volume.delete', subject: 'app', subjectId: app.id, after: { volume } })
    })
    return { volume }
  }
}

export type VolumeDeletion = ReturnType<typeof createVolumeDeletion>

function isInSettings(app: Pick<AppRow, 'volumes'>, volume: string): boolean {
  return volumesOf(app).some(({ name }) => name === volume)
}
