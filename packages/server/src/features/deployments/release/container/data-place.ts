import { type AppData, decideAppData, findAppData, HERE } from '../../../../domain/app-data.ts'
import { placementWords, serversOf } from '../../../../domain/placement.ts'
import type { AppRow } from '../../../../domain/rows.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { ownedBy, volumeLabels } from '../../../../engine/labels.ts'
import { lostWords } from '../../../../engine/swarm/data-gate.ts'
import type { Db } from '../../../../store/database.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import { refuseLostVolumes } from '../lost-volumes.ts'

type Deps = { db: Db; engine: Pick<Engine, 'placement' | 'volumes' | 'placedVolumes'>; instance: string; now: () => Date }
type Mounts = ContainerSpec['volumes']
type Asking = Pick<Context, 'app' | 'ask' | 'effect' | 'signal'>

/** The server with the data of a release that has volumes. */
export type DataPlace = Pick<AppData, 'server' | 'server_name'>

/**
 * On which server the data of an app is. It is decided once, before anything is made there, and recorded: from then on the app runs on this
 * server or nowhere, whatever its placement says, until somebody moves it.
 */
export function createDataPlace({ db, engine, instance, now }: Deps) {
  /** Apps from before this was recorded have their data on the server that Berth runs on. */
  async function wantedPlace({ app, ask }: Asking): Promise<DataPlace> {
    const here = { server: HERE, server_name: '' }
    const servers = serversOf(app.placement)
    if (servers === 'this' || app.placement === '') return here
    const words = `The placement of this app is ${placementWords(app.placement)}, but`
    if (servers.serverId === undefined)
      throw new DeploymentFailure(`${words} its data can only be on one of them. Choose one server as its placement.`)
    const found = await ask(async (signal) => await engine.volumes.list({ labels: ownedBy({ instance, appId: app.id }), signal }))
    if (found.length > 0) throw new DeploymentFailure(`${words} its data is on the server that Berth runs on. ${howToMove(app)}`)
    const server = await engine.placement.serverOf(servers.serverId)
    return server === undefined ? { server: servers.serverId, server_name: '' } : { server: servers.serverId, server_name: server.name }
  }

  async function decide(context: Asking): Promise<DataPlace> {
    const { app } = context
    const known = await findAppData(db, app.id)
    if (known !== undefined) return known
    const wanted = await wantedPlace(context)
    if (wanted.server !== HERE) await refuseClosed(wanted, 'Its placement is') // before it is decided for good
    const row = { app_id: app.id, decided_at: now().toISOString(), ...wanted }
    return await db.transaction(async (tx) => await decideAppData(tx, row), { mayUseReserve: true })
  }

  async function refuseClosed({ server, server_name: name }: DataPlace, words: string): Promise<void> {
    const why = engine.placement.whyNot()
    if (why !== '') throw new DeploymentFailure(`${words} the server ${name || server}, but no app can run on other servers. ${why}`)
    if ((await engine.placement.isSwarm()) && (await engine.placement.serverOf(server))?.isOpen) return
    throw new DeploymentFailure(
      `${words} the server ${name || server}, which takes no containers now. It is not started elsewhere. See Servers: it must be ready, active, and have passed its check.`,
    )
  }

  /** Undefined without volumes. Throws if that server cannot run it now: nothing may be stopped before that is known. */
  async function of(context: Asking, mounts: Mounts): Promise<DataPlace | undefined> {
    if (mounts.length === 0) return undefined
    const place = await decide(context)
    if (place.server !== HERE) await refuseClosed(place, 'The data of this app is on')
    return place
  }

  /** Creates the volumes that are not there yet. */
  async function ensureVolumes({ app, effect }: Asking, place: DataPlace | undefined, mounts: Mounts): Promise<void> {
    const labels = volumeLabels({ instance, projectId: app.project_id, appId: app.id })
    const isHere = place === undefined || place.server === HERE
    for (const { volume } of mounts)
      await effect('engine.volume', async (signal) =>
        isHere
          ? await engine.volumes.ensure(volume, labels, signal)
          : await engine.placedVolumes.ensure(place.server, volume, labels, signal),
      )
  }

  /** The live release had them: new ones would be empty, and nobody would see that the data is gone. */
  async function refuseLost(context: Asking, mounts: Mounts): Promise<void> {
    const place = await of(context, mounts)
    if (place === undefined || place.server === HERE) return await refuseLostVolumes({ engine, instance }, context, { mounts })
    for (const { volume, path } of mounts)
      if ((await engine.placedVolumes.look({ instance, serverId: place.server }, volume, context.signal)) === undefined)
        throw new DeploymentFailure(lostWords({ volume, path }, place.server_name))
  }

  return { of, ensureVolumes, refuseLost }
}

export type DataPlaces = ReturnType<typeof createDataPlace>

/** For sentences. */
function howToMove({ slug }: Pick<AppRow, 'slug'>): string {
  return `Set the placement back, and move the app with its data: "Move…" on its page, or berth apps move ${slug} <server>.`
}
