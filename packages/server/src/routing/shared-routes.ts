import type { Target } from '../domain/routes.ts'
import { type EdgeTarget, EdgeUnavailable } from '../edge/edge.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { createFollowRoutes, type FollowDeps } from './follow-routes.ts'
import { otherEdges, putRouteChange } from './shared-routes-store.ts'
import { textOfTarget } from './target-text.ts'

/** What routing needs to know of its node, if there are several. */
export type RoutingNode = Pick<FollowDeps, 'db' | 'bootId'> & {
  /** How long the other nodes have. Longer than it takes to stop the edge of a lost node. */
  withinMs?: number
}
type Deps = FollowDeps & RoutingNode & { log: Pick<Logger, 'warn'> }

/** `drain`: the sets of targets that get no new visitors any more. */
type Announced = { target?: Target | undefined; drain?: readonly (readonly EdgeTarget[])[] }

const LOOK_MS = 100

/**
 * Each node has its own edge, and all of them have the same routes. Changes that are not in the rows of apps yet, such as a switch under way,
 * are in rows of their own (docs/decisions/0016). A node that makes one waits for the edges of all nodes; those of lost nodes are stopped.
 */
export function createSharedRoutes({ log, withinMs = 30_000, ...deps }: Deps) {
  const { db, bootId } = deps
  const { follow, comeBack, hasConfirmed, isBehind } = createFollowRoutes(deps)
  /** A `follow` that began before a change of our own must not overwrite it. */
  const oneAtATime = createSemaphore(1)

  /** Containers whose `wake` has not been written yet, with their apps. */
  const toWake = new Map<string, number>()

  async function write(appId: number, change: Omit<Parameters<typeof putRouteChange>[2], 'bootId'>): Promise<number> {
    const work = async () =>
      await db.transaction(async (tx) => await putRouteChange(tx, appId, { ...change, bootId }), { mayUseReserve: true })
    return (await oneAtATime.run(work)) ?? 0
  }

  const announcementOf = (appId: number, revision: number) => createAnnouncement({ db, bootId, withinMs, log, appId, revision })

  /** Writes the change for the other nodes. */
  async function announce(appId: number, { target, drain = [] }: Announced): Promise<Announcement> {
    return announcementOf(appId, await write(appId, { target: target ? textOfTarget(target) : '', drain: JSON.stringify(drain) }))
  }

  /** From now on a container gets no visitors from any node, as long as another one of its app answers. */
  async function rest(appId: number, containerId: string): Promise<Announcement> {
    toWake.delete(containerId)
    return announcementOf(appId, await write(appId, { rest: containerId }))
  }

  async function wake(appId: number, containerId: string): Promise<void> {
    toWake.set(containerId, appId)
    await write(appId, { wake: containerId })
    toWake.delete(containerId)
  }

  async function followAll(signal: AbortSignal): Promise<void> {
    for (const [containerId, appId] of toWake) await wake(appId, containerId)
    await oneAtATime.run(async () => await follow(signal))
  }

  /** A `follow` that is under way must not confirm routes that the edge had before it was stopped. */
  const comeBackInTurn = async () => await oneAtATime.run(async () => comeBack())

  return { announce, rest, wake, follow: followAll, comeBack: comeBackInTurn, hasConfirmed, isBehind }
}

export type SharedRoutes = ReturnType<typeof createSharedRoutes>

type AnnouncementDeps = Pick<Deps, 'db' | 'bootId' | 'log'> & { withinMs: number; appId: number; revision: number }

/** A change that was written for the other nodes. */
function createAnnouncement({ db, bootId, withinMs, log, appId, revision }: AnnouncementDeps) {
  const behind = async () => (await otherEdges(db, bootId)).filter(({ seen }) => seen < revision).map(({ name }) => name)
  const busy = async () => (await otherEdges(db, bootId)).filter((node) => node.busy.includes(appId)).map(({ name }) => name)
  const until = (names: readonly string[]) => names.length === 0

  /** Why the change is not complete; undefined if the edges of all nodes have it. */
  async function whyNotServed(signal?: AbortSignal): Promise<EdgeUnavailable | undefined> {
    const late = await poll(behind, { until, everyMs: LOOK_MS, limitMs: withinMs, ...(signal && { signal }) })
    if (late.length === 0) return undefined
    return new EdgeUnavailable(`The proxy of the ${late.length > 1 ? 'nodes' : 'node'} ${late.join(', ')} was not updated in time.`)
  }

  /** Resolves when no edge of another node has requests at the earlier places, or the limit has passed. */
  async function drained({ limitMs, signal }: { limitMs: number; signal?: AbortSignal }): Promise<void> {
    const late = await whyNotServed(signal)
    if (late) return log.warn({ appId, reason: late.message }, 'Visitors of another node may still go to a release that is removed')
    await poll(busy, { until, everyMs: LOOK_MS, limitMs, ...(signal && { signal }) })
  }

  return { whyNotServed, drained }
}

type Announcement = ReturnType<typeof createAnnouncement>
