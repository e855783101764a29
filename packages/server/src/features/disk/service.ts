import { join } from 'node:path'
import type { AppStorage, Cleanable, DiskUsage } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { EngineError, EngineUnreachable } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { ownedBy, volumeInSettings } from '../../engine/labels.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import type { BuildCacheRoom } from '../deployments/build-cache/build-cache-room.ts'
import { directorySize } from './directory-size.ts'
import { deploymentsInUse, listApps } from './store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'disk'> & { volumes: Pick<Engine['volumes'], 'list'> }
  buildCache: BuildCacheRoom
  /** Removes the images of an app's releases, except the live one. */
  keepLiveOnly: (app: Pick<AppRow, 'id' | 'app_type'>) => Promise<void>
  instance: string
  dataDir: string
  now: () => Date
}

/** Measuring walks through every volume, so the result is shared within this time. */
const MEASURED_FOR_MS = 30_000

const NOT_MEASURED = 'The container engine could not measure or free its disk space. Try again in a few seconds.'

/** Disk usage, and clean-up. */
export function createDiskRoom(deps: Deps) {
  const { db, engine, instance, dataDir, now } = deps
  const ownVolumes = shared(async () => (await engine.disk.volumes()).filter(({ owner }) => owner.instance === instance))

  async function images() {
    const own = (await engine.disk.images()).filter(({ owner }) => owner.instance === instance)
    const inUse = await deploymentsInUse(db)
    const old = own.filter(({ owner: { deploymentId } }) => typeof deploymentId === 'number' && !inUse.has(deploymentId))
    return { bytes: sum(own), freeable: sum(old), oldReleases: new Set(old.map(({ owner }) => owner.deploymentId)).size }
  }

  async function usage(): Promise<DiskUsage> {
    const { oldReleases, ...ofImages } = await images()
    const volumes = sum(await ownVolumes())
    const logs = await directorySize(join(dataDir, 'logs'))
    const database = await directorySize(dataDir, (name) => name.includes('.sqlite') || name === 'backups')
    return {
      kinds: [
        { kind: 'images', ...ofImages },
        { kind: 'cache', ...(await deps.buildCache.measure()) },
        { kind: 'volumes', bytes: volumes, freeable: 0 },
        { kind: 'logs', bytes: logs, freeable: 0 },
        { kind: 'database', bytes: database, freeable: 0 },
      ],
      oldReleases,
    }
  }

  /** An image that cannot be removed now must not block the others. */
  async function keepLiveOnly(): Promise<void> {
    for (const app of await listApps(db))
      await deps.keepLiveOnly(app).catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause
      })
  }

  async function cleanImages(): Promise<number> {
    const before = (await images()).bytes
    await keepLiveOnly()
    return Math.max(0, before - (await images()).bytes)
  }

  async function cleanUp(caller: Caller, kinds: readonly Cleanable[]): Promise<{ freedBytes: number }> {
    let freedBytes = 0
    let ended = 'failed'
    try {
      if (kinds.includes('images')) freedBytes += await cleanImages()
      if (kinds.includes('cache')) freedBytes += await deps.buildCache.shrinkTo(0)
      ended = 'done'
    } finally {
      // Also after a failure, because something may have been removed before it.
      const after = { kinds: [...kinds], freedBytes, ended }
      await db.transaction(async (tx) => await recordAudit(tx, now(), caller, { action: 'disk.clean_up', subject: 'server', after }))
    }
    return { freedBytes }
  }

  async function ofApp(app: AppRow): Promise<AppStorage> {
    const own = await engine.volumes.list({ labels: ownedBy({ instance, appId: app.id }) })
    const sizes = new Map((await ownVolumes()).map(({ name, bytes }) => [name, bytes])) // one made since has next to nothing in it
    return { volumes: own.map(({ name }) => ({ name, bytes: sizes.get(name) ?? 0, volume: volumeInSettings(name) })) }
  }

  return {
    usage: async () => await answered(usage()),
    cleanUp: async (caller: Caller, kinds: readonly Cleanable[]) => await answered(cleanUp(caller, kinds)),
    ofApp: async (app: AppRow) => await answered(ofApp(app)),
  }
}

export type DiskRoom = ReturnType<typeof createDiskRoom>

async function answered<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked
  } catch (cause) {
    if (cause instanceof EngineUnreachable) throw new AppError('engine_unreachable', { cause })
    if (cause instanceof EngineError) throw new AppError('engine_unreachable', { message: NOT_MEASURED, cause })
    throw cause
  }
}

function sum(things: readonly { bytes: number }[]): number {
  return things.reduce((total, { bytes }) => total + bytes, 0)
}

/** Requests during a measurement, or shortly after its end, get the same result. */
function shared<Value>(measure: () => Promise<Value>): () => Promise<Value> {
  let latest: { endedAt: number; value: Promise<Value> } | undefined
  return () => {
    if (latest && performance.now() - latest.endedAt < MEASURED_FOR_MS) return latest.value
    const mine = { endedAt: Number.POSITIVE_INFINITY, value: measure() }
    latest = mine
    mine.value.then(
      () => (mine.endedAt = performance.now()),
      () => {
        if (latest === mine) latest = undefined
      },
    )
    return mine.value
  }
}
