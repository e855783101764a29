import type { Target } from '../domain/routes.ts'
import type { Edge, EdgeTarget } from '../edge/edge.ts'
import type { Db } from '../store/database.ts'
import { inFlightOf, waitUntilIdle } from './drain.ts'
import type { RouteSync } from './route-sync.ts'
import { livingBoots, noteRoutes, type RouteChangeRow, routeChanges, routesRevision } from './shared-routes-store.ts'
import { isOfEngine } from './sync-failure.ts'
import { targetIn } from './target-text.ts'
import type { WantedRoutes } from './wanted-routes.ts'

export type FollowDeps = {
  db: Db
  /** Of this run of this node. */
  bootId: string
  wanted: Pick<WantedRoutes, 'lookAt' | 'lookAtAll' | 'switchTo' | 'endSwitch' | 'earlierTargets' | 'lookAtReplicas' | 'rest' | 'wake'>
  edge: Pick<Edge, 'isServing' | 'inFlight'>
  put: RouteSync['put']
  drainMs: number
}
/** What a row means now. */
type Effect = {
  readonly appId: number
  readonly target: Target | undefined
  readonly resting: readonly string[]
  /** Containers that this node lets rest. It knows that without the row, which may be older than its latest decision. */
  readonly own: readonly string[]
}

const NOTHING_SEEN = -1
/** Shorter than the other nodes wait for this one. */
const BEHIND_AFTER_MS = 6000

/** Brings the edge of this node to what the rows of all nodes say, and tells the others so. */
export function createFollowRoutes(deps: FollowDeps) {
  const { db, bootId, wanted, edge, put } = deps
  const inEffect = createInEffect(wanted)
  const leaving = createLeaving(deps)
  let seen = NOTHING_SEEN
  let said = ''
  let readAt = Number.NEGATIVE_INFINITY

  async function say(): Promise<void> {
    const busy = leaving.apps()
    const text = JSON.stringify([seen, busy])
    if (text === said) return
    await db.transaction(async (tx) => await noteRoutes(tx, bootId, { seen, busy }))
    said = text
  }

  /** Returns whether the edge serves it. One that is not running has no visitors to send anywhere. */
  async function serve(changed: readonly Effect[]): Promise<boolean> {
    for (const effect of changed) inEffect.set(effect)
    try {
      if (seen === NOTHING_SEEN) await wanted.lookAtAll()
      else await Promise.all(changed.map(async ({ appId }) => await wanted.lookAt(appId)))
    } catch (err) {
      if (isOfEngine(err)) return false
      throw err
    }
    const failure = await put()
    // the replicas that take over from a resting container get its visitors now
    const isServed = failure === undefined && (!(await wanted.lookAtReplicas()) || (await put()) === undefined)
    return isServed || !(await edge.isServing())
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const revision = await routesRevision(db)
    const rows = await routeChanges(db, seen)
    readAt = performance.now()
    const living = rows.some(({ resting }) => Object.keys(resting).length > 0) ? await livingBoots(db) : new Set<string>()
    const changes = rows
      .map((row) => ({ row, effect: effectOf(row, { living, bootId }) }))
      .filter(({ row, effect }) => row.revision > seen || !inEffect.has(effect))
    if (revision === seen && changes.length === 0) return await say()
    if (!(await serve(changes.map(({ effect }) => effect)))) return
    if (await edge.isServing()) for (const { row } of changes) leaving.watch(row, { signal, onIdle: say })
    seen = revision
    await say()
  }

  /** The edge was stopped, because the other nodes took this one for lost: it starts over. */
  function comeBack(): void {
    seen = NOTHING_SEEN
    said = ''
  }

  return { follow, comeBack, hasConfirmed: () => said !== '', isBehind: () => performance.now() - readAt > BEHIND_AFTER_MS }
}

type Nodes = { living: ReadonlySet<string>; bootId: string }

function effectOf({ appId, target, isDeploying, resting }: RouteChangeRow, { living, bootId }: Nodes): Effect {
  const wantedBy = (isWanted: (by: string) => boolean) => Object.keys(resting).filter((id) => isWanted(resting[id] ?? ''))
  return {
    appId,
    target: isDeploying ? targetIn(target) : undefined,
    resting: wantedBy((by) => by !== bootId && living.has(by)),
    own: wantedBy((by) => by === bootId),
  }
}

/** What this node has taken from the rows. */
function createInEffect(wanted: FollowDeps['wanted']) {
  const known = new Map<number, { text: string; resting: readonly string[] }>()
  const textOf = ({ target, resting }: Effect) => JSON.stringify([target, [...(target?.services ?? [])], resting])

  function set(effect: Effect): void {
    const { appId, target, resting, own } = effect
    for (const id of known.get(appId)?.resting ?? []) if (!resting.includes(id) && !own.includes(id)) wanted.wake(id)
    for (const id of resting) wanted.rest(id)
    if (target) wanted.switchTo(appId, target)
    else wanted.endSwitch(appId)
    known.set(appId, { text: textOf(effect), resting })
  }

  return { set, has: (effect: Effect) => known.get(effect.appId)?.text === textOf(effect) }
}

type Watch = { signal: AbortSignal; onIdle: () => Promise<void> }

/** The apps that still have requests at the targets they had before. */
function createLeaving({ wanted, edge, drainMs }: FollowDeps) {
  const watched = new Map<number, number>()

  function watch({ appId, revision, drain }: RouteChangeRow, { signal, onIdle }: Watch): void {
    const sets = JSON.parse(drain) as EdgeTarget[][] // only `announce` writes it
    watched.set(appId, revision)
    waitUntilIdle(async () => await inFlightOf(edge, [...sets, ...wanted.earlierTargets(appId)]), { limitMs: drainMs, signal })
      .then(async () => {
        if (watched.get(appId) !== revision) return // a later change is being watched
        watched.delete(appId)
        await onIdle()
      })
      .catch(() => undefined) // the next look says it, or this process ends
  }

  return { watch, apps: () => [...watched.keys()].toSorted((a, b) => a - b) }
}
