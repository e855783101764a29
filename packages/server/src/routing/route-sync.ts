import { setTimeout as sleep } from 'node:timers/promises'
import { type Edge, EdgeUnavailable } from '../edge/edge.ts'
import { EngineError, EngineUnreachable } from '../engine/api/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { isDatabaseFailure } from '../store/storage-failure.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  wanted: Pick<WantedRoutes, 'lookAt' | 'lookAtAll' | 'isKnown' | 'markStale' | 'read'>
  edge: Pick<Edge, 'update' | 'state' | 'isServing'>
  drainMs: number
  log: Logger
}

/** Why the edge does not route as wanted: the engine did not list the containers, or the edge did not accept the routes. */
export type SyncFailure = EngineUnreachable | EngineError | EdgeUnavailable

/** An engine that is busy removing a container may fail to list the others; we retry soon once, and then at the usual interval. */
const AGAIN_MS = 1000
const MOST_AGAIN = 5
const NEVER_SERVED_MS = 500

/** Updates the edge to the wanted routes: after listing containers, or without that if containers are not involved. */
export function createRouteSync({ wanted, edge, drainMs, log }: Deps) {
  let failures = 0
  let hasServed = false
  const warn = (err: unknown) => log.warn({ err }, 'routes were not synchronised')

  /** Lists the containers of one app, or of all, and updates the edge. If this fails now, the edge and the next sync keep trying. */
  async function sync(appId?: number): Promise<SyncFailure | undefined> {
    try {
      await (appId === undefined ? wanted.lookAtAll() : wanted.lookAt(appId))
      failures = 0
    } catch (err) {
      if (!isOfEngine(err)) throw err
      log.debug({ err }, 'waiting for the engine before updating routes')
      lookAgain()
      return err
    }
    return await put()
  }

  /** Uses the addresses found last. The edge is not updated before the first listing. */
  async function put(): Promise<EdgeUnavailable | undefined> {
    if (!wanted.isKnown()) return undefined
    try {
      await edge.update(wanted.read)
      hasServed = true
      return undefined
    } catch (err) {
      if (!(err instanceof EdgeUnavailable)) throw err
      if (isDatabaseFailure(err.cause)) throw err.cause // the edge did not fail
      return err
    }
  }

  function lookAgain(): void {
    failures += 1
    if (failures <= MOST_AGAIN) setTimeout(syncSoon, AGAIN_MS).unref()
  }

  function syncSoon(): void {
    sync().catch(warn)
  }

  /** For changes of domains, settings or app rows, which do not involve the engine. */
  function rowsChanged(): void {
    wanted.markStale()
    put().catch(warn)
  }

  /** Call when containers of the app were started, stopped or removed. While the engine is not responding, only the row counts. */
  function containersChanged(appId: number): void {
    sync(appId)
      .then((failure) => (isOfEngine(failure) ? rowsChanged() : undefined))
      .catch(warn)
  }

  /** An edge that is not serving has no visitors to lose: one that is starting gets a moment, otherwise we do not wait. */
  async function whenServing(work: () => Promise<SyncFailure | undefined>): Promise<SyncFailure | undefined> {
    if (hasServed || (await edge.isServing())) return await work()
    const { state, message } = edge.state()
    const waitMs = state === 'starting' ? drainMs : NEVER_SERVED_MS
    return await Promise.race([work(), sleep(waitMs, new EdgeUnavailable(message), { ref: false })])
  }

  return { sync, syncSoon, put, rowsChanged, containersChanged, whenServing, hasServed: () => hasServed }
}

export type RouteSync = ReturnType<typeof createRouteSync>

export function isOfEngine(err: unknown): err is EngineUnreachable | EngineError {
  return err instanceof EngineUnreachable || err instanceof EngineError
}
