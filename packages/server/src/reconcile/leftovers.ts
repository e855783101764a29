import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { appLane } from '../domain/job-names.ts'
import { EngineError } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { pulledImagesOf } from '../engine/image-names.ts'
import type { Image } from '../engine/images.ts'
import { ownedBy } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { InTurn } from '../lib/turns.ts'
import { lanesInQueue } from '../queue/queue-store.ts'
import type { Reader } from '../store/database.ts'
import { numberedFiles } from './numbered-files.ts'
import { createPlannedImages } from './planned-images.ts'
import { unusedPulled } from './pulled-images.ts'
import { type KeptRelease, keptReleases, knownIds } from './store.ts'

type Deps = {
  db: Reader
  engine: Pick<Engine, 'containers' | 'images' | 'lentContainers' | 'networks'>
  instance: string
  dataDir: string
  /** The turn in which a deployment looks for a pulled image, and uses it or pulls it again. */
  inImageTurn: InTurn<string>
  log: Logger
}
type Network = Awaited<ReturnType<Engine['networks']['list']>>[number]
type Plans = { appId: number; plans: { name: string; id: number }[] }
type Known = {
  apps: ReadonlySet<number>
  projectOf: ReadonlyMap<number, number>
  projects: ReadonlySet<number>
  releases: readonly KeptRelease[]
}

/**
 * Removes what a crash, a failure or an engine outage left behind: images, networks and plans that no row refers to, and containers that were
 * lent. They are found by label. Apps with work in progress are skipped, and volumes are never removed here.
 */
export function createLeftovers(deps: Deps) {
  const { db, engine, instance, log } = deps
  const labels = ownedBy({ instance })
  const plansOf = (appId: number) => join(deps.dataDir, 'compose', `app-${appId}`)
  const retryLater = createRetryLater(log)
  const look = createLook(db)

  async function sweepImages(images: readonly Image[], known: Known, isBusy: (appId: number) => boolean): Promise<void> {
    const kept = new Set(known.releases.flatMap(({ artifact }) => (artifact.kind === 'image' ? [artifact.tag] : [])))
    const plannedImages = createPlannedImages({ directoryOf: plansOf, releases: known.releases })
    for (const image of images) {
      const { appId } = image.owner
      if (appId === null || isBusy(appId)) continue
      const tags = image.tags.filter((tag) => !tag.startsWith('<none>'))
      const planned = await plannedImages(appId)
      const unused = tags.filter((tag) => !kept.has(tag) && !planned.has(tag))
      for (const name of tags.length === 0 ? [image.id] : unused) {
        log.info({ appId, image: name }, 'removing an image that no release uses')
        await engine.images.remove(name).catch(retryLater('image', name))
      }
    }
  }

  async function sweepNetworks(networks: readonly Network[], known: Known, isBusy: (appId: number) => boolean): Promise<void> {
    for (const network of networks) {
      const { projectId, appId } = network.owner
      if (projectId === null || (appId !== null && isBusy(appId))) continue
      if (appId === null ? known.projects.has(projectId) : known.apps.has(appId)) continue
      await engine.networks.remove(network.name).catch(retryLater('network', network.name))
    }
  }

  /** Looks again, because an app of the project may have begun to use it: unlike other images, it is used again by its name. */
  async function removePulled(name: string): Promise<void> {
    if ((await unusedPulled([name], { instance, ...(await look()), plansOf })).length === 0) return
    log.info('removing a pulled image that no release uses')
    await engine.images.remove(name).catch(retryLater('image', 'pulled')) // its name is a secret
  }

  /** The plan files of each app that has any. */
  async function listPlans(): Promise<Plans[]> {
    const apps = await numberedFiles(join(deps.dataDir, 'compose'), /^app-(\d+)$/)
    return await Promise.all(apps.map(async ({ id }) => ({ appId: id, plans: await numberedFiles(plansOf(id), /^d(\d+)$/) })))
  }

  async function sweepPlans({ appId, plans }: Plans, known: Known): Promise<void> {
    if (!known.apps.has(appId)) return await rm(plansOf(appId), { recursive: true, force: true })
    const kept = new Set(known.releases.filter((release) => release.appId === appId).map(({ id }) => id))
    for (const { name, id } of plans) if (!kept.has(id)) await rm(join(plansOf(appId), name), { recursive: true, force: true })
  }

  /**
   * Lists what exists, then which apps are busy, then the rows, so that something created or finished in between is not mistaken for a
   * leftover.
   */
  async function sweep(): Promise<void> {
    const [images, networks] = [await engine.images.list({ labels }), await engine.networks.list({ labels })]
    const pulled = await engine.images.names(pulledImagesOf(instance))
    const plans = await listPlans()
    const { known, isBusy } = await look()
    for (const ofApp of plans) if (!isBusy(ofApp.appId)) await sweepPlans(ofApp, known)
    await sweepLent(deps, { retryLater, look })
    await sweepImages(images, known, isBusy)
    for (const name of await unusedPulled(pulled, { instance, known, isBusy, plansOf }))
      await deps.inImageTurn(name, () => removePulled(name))
    await sweepNetworks(networks, known, isBusy)
  }

  return { sweep }
}

type Look = ReturnType<typeof createLook>
type RetryLater = ReturnType<typeof createRetryLater>

/** The mark of a volume that was not filled to the end is needed by the next start, whichever deployment that is. */
async function sweepLent({ engine, instance }: Deps, { retryLater, look }: { retryLater: RetryLater; look: Look }): Promise<void> {
  const lent = await engine.lentContainers.list({ labels: ownedBy({ instance }) })
  if (lent.length === 0) return
  const { known, isBusy } = await look()
  for (const { id, name, appId, isFilling } of lent) {
    if (appId === null || isBusy(appId) || (isFilling && known.apps.has(appId))) continue
    await engine.containers.remove(id).catch(retryLater('container', name))
  }
}

/** A later sweep removes it. One that is still used is expected; whatever else keeps it must not keep the others. */
function createRetryLater(log: Logger) {
  return (kind: string, name: string) => (cause: unknown) => {
    if (cause instanceof EngineError && (cause.status === 409 || cause.status === 403)) return
    log.warn({ [kind]: name, err: cause }, 'a leftover could not be removed; retrying')
  }
}

/** Which apps are busy, then the rows: what has left the queue is in them. */
function createLook(db: Reader) {
  return async (): Promise<{ known: Known; isBusy: (appId: number) => boolean }> => {
    const lanes = new Set(await lanesInQueue(db))
    return { known: { ...(await knownIds(db)), releases: await keptReleases(db) }, isBusy: (appId) => lanes.has(appLane(appId)) }
  }
}
