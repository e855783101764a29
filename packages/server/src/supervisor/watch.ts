import { setTimeout as sleep } from 'node:timers/promises'
import type { Tuning } from '../lib/tuning.ts'
import { whyUnhealthy } from './health.ts'
import type { ServerChild } from './server-child.ts'
import type { UpdateRecord } from './update-record.ts'

type Deps = {
  tuning: Pick<Tuning, 'updateStartMs' | 'updateWatchMs' | 'updateHealthMs'>
  onListening: () => Promise<void>
}

/** One that fails may be a moment of load. */
const FAILURES_IN_A_ROW = 3

/** Watches a new version; says why it has to go, or nothing after it was healthy for the whole time. */
export async function watchServer(server: ServerChild, update: UpdateRecord, { tuning, onListening }: Deps): Promise<string | undefined> {
  const over = new AbortController()
  const ended = server.exited.then((how) => `Berth ${update.to} did not stay up: ${how}`)
  const tooLate = sleep(tuning.updateStartMs, `Berth ${update.to} did not listen within ${tuning.updateStartMs / 1000} s`, {
    signal: over.signal,
  })
  tooLate.catch(() => undefined) // aborted below
  try {
    const url = await Promise.race([server.listening.then((address) => ({ address })), ended, tooLate])
    if (typeof url === 'string') return url
    await onListening()
    const healthy = watchHealth(url.address, update, { tuning, signal: over.signal })
    return await Promise.race([healthy, ended, server.wantsBack])
  } finally {
    over.abort()
  }
}

type Watching = Pick<Deps, 'tuning'> & { signal: AbortSignal }

async function watchHealth(url: string, update: UpdateRecord, { tuning, signal }: Watching): Promise<string | undefined> {
  const begin = performance.now()
  let failures = 0
  for (;;) {
    const isLast = performance.now() - begin >= tuning.updateWatchMs
    // What was good before has to be good again at the end: the engine and the edge take a moment to be found.
    const problem = await whyUnhealthy(url, update.to, isLast ? update.goodBefore : [])
    failures = problem === undefined ? 0 : failures + 1
    if (problem === undefined && isLast) return undefined
    if (failures >= FAILURES_IN_A_ROW) return `Berth ${update.to} is not healthy: ${problem}`
    if (signal.aborted) return undefined
    await sleep(tuning.updateHealthMs)
  }
}
