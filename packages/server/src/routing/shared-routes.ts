import type { Target } from '../domain/routes.ts'
import { type EdgeTarget, EdgeUnavailable } from '../edge/edge.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { createFollowRoutes, type FollowDeps } from './follow-routes.ts'
import { otherEdges, putRouteChange } from './shared-routes-store.ts'
import { textOfTarget } from './target-text.ts'

/** Of one of several nodes. */
export type RoutingNode = Pick<FollowDeps, 'db' | 'bootId'> & {
  /** How long the others have. It is longer than it takes until the edge of a node that is gone was stopped. */
  withinMs?: number
}
type Deps = FollowDeps & RoutingNode & { log: Pick<Logger, 'warn'> }

/** `drain`: the sets of targets that get no new visitors any more. */
type Announced = { target?: Target | undefined; drain?: readonly (readonly EdgeTarget[])[] }

const LOOK_MS = 100

/**
 * Each node has an edge of its own, and all of them route alike: what is not in the rows of apps, because a switch is under way, is in a row of
 * its own (docs/decisions/0016). Whoever changes it waits for the edges of all nodes: those of nodes that are gone are stopped.
 */
export function createSharedRoutes({ log, withinMs = 30_000, ...deps }: Deps) {
  const { db, bootId } = deps
  const { follow, comeBack, hasConfirmed, isBehind } = createFollowRoutes(deps)
  /** A look that began before a change of our own must not overwrite it. */
  const oneAtATime = createSemaphore(1)

  /** Whose end could not be written. */
  const toWake = new Map<string, number>()

  async function write(appId: number, change: Omit<Parameters<typeof putRouteChange>[2], 'bootId'>): Promise<number> {
    const work = async () =>
      await db.transaction(async (tx) => await putRouteChange(tx, appId, { ...change, bootId }), { mayUseReserve: true })
    return (await oneAtATime.run(work)) ?? 0
  }

  const toldOf = (appId: number, revision: number) => createTold({ db, bootId, withinMs, log, appId, revision })

  /** Tells the other nodes. */
  async function tell(appId: number, { target, drain = [] }: Announced): Promise<Told> {
    return toldOf(appId, await write(appId, { target: target ? textOfTarget(target) : '', drain: JSON.stringify(drain) }))
  }

  /** From now on a container gets no visitors from any node, as long as another one of its app answers. */
  async function rest(appId: number, containerId: string): Promise<Told> {
    toWake.delete(containerId)
    return toldOf(appId, await write(appId, { rest: containerId }))
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

  /** A look that is under way must not confirm what the edge had before it was stopped. */
  const comeBackInTurn = async () => await oneAtATime.run(async () => comeBack())

  return { tell, rest, wake, follow: followAll, comeBack: comeBackInTurn, hasConfirmed, isBehind }
}

export type SharedRoutes = ReturnType<typeof createSharedRoutes>

type ToldDeps = Pick<Deps, 'db' | 'bootId' | 'log'> & { withinMs: number; appId: number; revision: number }

/** A change that the other nodes were told of. */
function createTold({ db, bootId, withinMs, log, appId, revision }: ToldDeps) {
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

type Told = ReturnType<typeof createTold>
