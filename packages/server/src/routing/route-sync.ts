import { setTimeout as sleep } from 'node:timers/promises'
import { type Edge, EdgeUnavailable } from '../edge/edge.ts'
import { EngineError, EngineUnreachable } from '../engine/api/errors.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Logger } from '../lib/logger.ts'
import type { Look } from './wanted-routes.ts'

type Deps = { look: Pick<Look, 'refresh' | 'wanted'>; edge: Pick<Edge, 'setRoutes' | 'state' | 'isServing'>; drainMs: number; log: Logger }

/** Why the edge does not route as wanted: the engine did not say where everything is, or the edge did not take it. */
export type Hindrance = EngineUnreachable | EngineError | EdgeUnavailable

/** An engine that is busy removing a container may refuse to list the others; it is asked again soon, and after that as usual. */
const AGAIN_MS = 1000
const MOST_AGAIN = 5
const SOON_MS = 500
const NEVER_SERVED_MS = 500

/** Tells the edge what is wanted: after a look at the engine, or without one where the engine has no part in it. */
export function createRouteSync({ look, edge, drainMs, log }: Deps) {
  let failures = 0
  let hasServed = false
  /** One at a time each: of two at once the older could be told to the edge last. Calls during one share the next. */
  const sync = coalesce(syncNow)
  const putInTurn = coalesce(putNow)

  /** Gives what hinders it from being put in place now. It stays wanted: the edge goes on trying, and so does the next look. */
  async function syncNow(): Promise<Hindrance | undefined> {
    try {
      await look.refresh()
    } catch (err) {
      if (!isOfEngine(err)) throw err
      log.debug({ err }, 'routes wait for the engine')
      lookAgain()
      return err
    }
    failures = 0
    return await putInTurn()
  }

  async function putNow(): Promise<EdgeUnavailable | undefined> {
    try {
      await edge.setRoutes(await look.wanted())
      hasServed = true
      return undefined
    } catch (err) {
      if (err instanceof EdgeUnavailable) return err
      throw err
    }
  }

  function lookAgain(): void {
    failures += 1
    if (failures <= MOST_AGAIN) setTimeout(syncSoon, AGAIN_MS).unref()
  }

  /** What the database says, with the addresses that were found last; nothing before the first of them were found. */
  async function put(): Promise<void> {
    if (hasServed) await putInTurn()
  }

  /** Many changes in a moment are one look. What the engine has no part in, such as a deleted app, does not wait for a busy one. */
  function syncSoon(): void {
    const warn = (err: unknown) => log.warn({ err }, 'routes were not synchronised')
    const synced = sync()
    synced.catch(warn)
    isSoon(synced)
      .then(async (isDone) => (isDone ? undefined : await put()))
      .catch(warn)
  }

  /** An edge that does not serve has no visitors to lose: one that is coming up gets a moment, any other is not waited for. */
  async function syncAndWait(): Promise<Hindrance | undefined> {
    if (hasServed || (await edge.isServing())) return await sync()
    const { state, message } = edge.state()
    const patienceMs = state === 'starting' ? drainMs : NEVER_SERVED_MS
    return await Promise.race([sync(), sleep(patienceMs, new EdgeUnavailable(message), { ref: false })])
  }

  return { sync, syncSoon, put, syncAndWait, hasServed: () => hasServed }
}

export function isOfEngine(err: unknown): err is EngineUnreachable | EngineError {
  return err instanceof EngineUnreachable || err instanceof EngineError
}

async function isSoon(work: Promise<Hindrance | undefined>): Promise<boolean> {
  const isPut = work.then(
    (hindrance) => hindrance === undefined,
    () => false,
  )
  return await Promise.race([isPut, sleep(SOON_MS, false, { ref: false })])
}
