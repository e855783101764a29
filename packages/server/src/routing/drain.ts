import { setTimeout as sleep } from 'node:timers/promises'
import type { Edge, EdgeTarget } from '../edge/edge.ts'
import type { Logger } from '../lib/logger.ts'
import { poll } from '../lib/retry.ts'
import type { SyncFailure } from './sync-failure.ts'

type Deps = {
  strays: () => Promise<EdgeTarget[][]>
  sync: () => Promise<SyncFailure | undefined>
  edge: Pick<Edge, 'inFlight'>
  drainMs: number
  log: Logger
}

/** On startup: releases that a crash left half switched or half drained finish their requests before they are removed. */
export function createStrayDrain({ strays, sync, edge, drainMs, log }: Deps): () => Promise<void> {
  return async () => {
    const found = await strays().catch((err: unknown) => {
      log.debug({ err }, 'the engine does not answer yet')
      return []
    })
    if (found.length === 0) return
    const limit = { limitMs: drainMs, signal: new AbortController().signal }
    const failure = await Promise.race([sync(), sleep(drainMs, 'late' as const, { ref: false })])
    if (failure !== undefined) return // the edge is not running, so nothing is known to be in flight
    await Promise.all(found.map(async (targets) => await waitUntilIdle(async () => await edge.inFlight(targets), limit)))
  }
}

/** The requests and sockets of all endpoints of an app. The edge counts them by the set of targets that one endpoint has. */
export async function inFlightOf(edge: Pick<Edge, 'inFlight'>, endpoints: readonly (readonly EdgeTarget[])[]): Promise<number> {
  const counts = await Promise.all(endpoints.map(async (targets) => await edge.inFlight(targets)))
  return counts.reduce((sum, count) => sum + count, 0)
}

const CHECK_MS = 200
/** A request that was just routed may not be counted yet. */
const ROUTED_MS = 300

/** Waits until nothing is in flight or the limit has passed; an edge that does not answer counts as busy. */
export async function waitUntilIdle(inFlight: () => Promise<number>, options: { limitMs: number; signal: AbortSignal }): Promise<void> {
  const { limitMs, signal } = options
  await sleep(Math.min(ROUTED_MS, limitMs), undefined, { signal })
  const count = () => inFlight().catch(() => 1)
  await poll(count, { until: (requests) => requests === 0, everyMs: CHECK_MS, limitMs: limitMs - ROUTED_MS, signal })
}
