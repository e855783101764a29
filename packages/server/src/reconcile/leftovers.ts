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
import { createPlannedImages } from './planned-images.ts'
import { unusedPulled } from './pulled-images.ts'
import { type KeptRelease, keptReleases, knownIds } from './store.ts'
import { listPlans, plansDirectory, sweepPlans } from './sweep-plans.ts'

type Deps = {
  db: Reader
  engine: Pick<Engine, 'containers' | 'images' | 'lentContainers' | 'networks'>
  instance: string
  dataDir: string
  /** The turn in which a deployment looks for a pulled image, and uses it or pulls it again. */
  inImageTurn: InTurn<string>
  /** Of several nodes: copies the plan of a release from the database, and returns whether it is there. */
  fetchPlan?: FetchPlan | undefined
  log: Logger
}
type FetchPlan = (plan: { appId: number; deploymentId: number }) => Promise<boolean>
type Network = Awaited<ReturnType<Engine['networks']['list']>>[number]
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
  const plansOf = (appId: number) => plansDirectory(deps.dataDir, appId)
  const retryLater = createRetryLater(log)
  const look = createLook(db, deps.fetchPlan)

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

  /**
   * Lists what exists, then which apps are busy, then the rows, so that something created or finished in between is not mistaken for a
   * leftover.
   */
  async function sweep(): Promise<void> {
    const [images, networks] = [await engine.images.list({ labels }), await engine.networks.list({ labels })]
    const pulled = await engine.images.names(pulledImagesOf(instance))
    const plans = await listPlans(deps.dataDir)
    const { known, isBusy } = await look()
    for (const ofApp of plans) if (!isBusy(ofApp.appId)) await sweepPlans(deps.dataDir, ofApp, known)
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

/**
 * Which apps are busy, then the rows: what has left the queue is in them. An app with a plan that only another node has counts as busy, because
 * it is not known which images it needs.
 */
function createLook(db: Reader, fetchPlan: FetchPlan | undefined) {
  async function withoutPlans(releases: readonly KeptRelease[], isBusy: (appId: number) => boolean): Promise<ReadonlySet<number>> {
    const without = new Set<number>()
    if (fetchPlan === undefined) return without
    for (const { id, appId, artifact } of releases)
      if (artifact.kind === 'compose' && !isBusy(appId) && !(await fetchPlan({ appId, deploymentId: id }))) without.add(appId)
    return without
  }

  return async (): Promise<{ known: Known; isBusy: (appId: number) => boolean }> => {
    const lanes = new Set(await lanesInQueue(db))
    const isBusy = (appId: number) => lanes.has(appLane(appId))
    const known = { ...(await knownIds(db)), releases: await keptReleases(db) }
    const without = await withoutPlans(known.releases, isBusy)
    return { known, isBusy: (appId) => isBusy(appId) || without.has(appId) }
  }
}
