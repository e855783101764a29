import { setTimeout as sleep } from 'node:timers/promises'
import { type Edge, EdgeUnavailable } from '../edge/edge.ts'
import { EngineError, EngineUnreachable } from '../engine/api/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { isDatabaseFailure } from '../store/storage-failure.ts'
import type { WantedRoutes } from './wanted-routes.ts'

type Deps = {
  wanted: Pick<WantedRoutes, 'lookAt' | 'lookAtAll' | 'isKnown' | 'markStale'>
  edge: Pick<Edge, 'update' | 'state' | 'isServing'>
  drainMs: number
  log: Logger
}

/** Why the edge does not route as wanted: the engine did not say where something is, or the edge did not take it. */
export type Hindrance = EngineUnreachable | EngineError | EdgeUnavailable

/** An engine that is busy removing a container may refuse to list the others; it is asked again soon, and after that as usual. */
const AGAIN_MS = 1000
const MOST_AGAIN = 5
const NEVER_SERVED_MS = 500

/** Has the edge serve what is wanted: after a look at the engine, or without one where the engine has no part in it. */
export function createRouteSync({ wanted, edge, drainMs, log }: Deps) {
  let failures = 0
  let hasServed = false
  const warn = (err: unknown) => log.warn({ err }, 'routes were not synchronised')

  /** Looks at one app, or at everything. What hinders this now stays wanted: the edge goes on trying, and so does the next look. */
  async function sync(appId?: number): Promise<Hindrance | undefined> {
    try {
      await (appId === undefined ? wanted.lookAtAll() : wanted.lookAt(appId))
      failures = 0
    } catch (err) {
      if (!isOfEngine(err)) throw err
      log.debug({ err }, 'routes wait for the engine')
      lookAgain()
      return err
    }
    return await put()
  }

  /** With the addresses that were found last. Nothing is told to the edge before the first of them were found. */
  async function put(): Promise<EdgeUnavailable | undefined> {
    if (!wanted.isKnown()) return undefined
    try {
      await edge.update()
      hasServed = true
      return undefined
    } catch (err) {
      if (!(err instanceof EdgeUnavailable)) throw err
      if (isDatabaseFailure(err.cause)) throw err.cause // it is not the edge that failed
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

  /** Domains, settings, or rows of apps: nothing that the engine knows. */
  function rowsChanged(): void {
    wanted.markStale()
    put().catch(warn)
  }

  /** Containers of the app were started, stopped or removed. While the engine does not answer, the row alone is heeded. */
  function containersChanged(appId: number): void {
    sync(appId)
      .then((hindrance) => (isOfEngine(hindrance) ? rowsChanged() : undefined))
      .catch(warn)
  }

  /** An edge that does not serve has no visitors to lose: one that is coming up gets a moment, any other is not waited for. */
  async function whenServing(work: () => Promise<Hindrance | undefined>): Promise<Hindrance | undefined> {
    if (hasServed || (await edge.isServing())) return await work()
    const { state, message } = edge.state()
    const patienceMs = state === 'starting' ? drainMs : NEVER_SERVED_MS
    return await Promise.race([work(), sleep(patienceMs, new EdgeUnavailable(message), { ref: false })])
  }

  return { sync, syncSoon, put, rowsChanged, containersChanged, whenServing, hasServed: () => hasServed }
}

export function isOfEngine(err: unknown): err is EngineUnreachable | EngineError {
  return err instanceof EngineUnreachable || err instanceof EngineError
}
