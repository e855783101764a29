import { setTimeout as timer } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'

/** Who tries: so many wait from one address (`undefined` has no limit), and nobody waits for a client that has gone. */
export type Tried = { from?: string | undefined; signal?: AbortSignal | undefined }
type Waiting = { slot: number; from: string | undefined; judge: () => Promise<void>; refuse: (cause: AppError) => void }
type Deps = {
  waitMs: (slot: number) => number
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

const MOST_PER_ACCOUNT = 500
const MOST_IN_ALL = 1000
const MOST_PER_ADDRESS = 3 // of those for one account

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal, ref: false }).catch(() => undefined) // the end of the server ends it early
}

/**
 * Tries for one account are judged one after another, each after the wait that the ones before it have earned, so that many
 * at once get no further than many in a row. The newest goes first: a flood that waits already does not hold up the owner
 * who comes after it. When too many wait, of one address or of all, the oldest of them is sent away without having been
 * judged, and so is a try whose client has gone: it would only make the others wait longer.
 */
export function createLoginTurns({ waitMs, sleep = sleepUntil }: Deps) {
  const accounts = new Map<number, Waiting[]>() // those with a try under way, and what waits behind it
  const everybody = new Set<Waiting>() // in the order they came
  const stopping = new AbortController()

  function forget(one: Waiting): void {
    everybody.delete(one)
    const waiting = accounts.get(one.slot) ?? []
    waiting.splice(waiting.indexOf(one), 1)
  }

  function sendAway(one: Waiting | undefined, code: 'too_many_logins' | 'stopping'): void {
    if (!one) return
    forget(one)
    one.refuse(new AppError(code))
  }

  async function judgeAll(slot: number, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const ms = waitMs(slot)
      if (ms > 0) await sleep(ms, stopping.signal)
      const newest = waiting.at(-1) // looked up after the wait: somebody may have come during it
      if (!newest) break
      forget(newest)
      await newest.judge()
    }
    accounts.delete(slot)
  }

  function add(one: Waiting): void {
    const known = accounts.get(one.slot)
    const waiting = known ?? []
    accounts.set(one.slot, waiting)
    waiting.push(one)
    everybody.add(one)
    const alike = one.from === undefined ? [] : waiting.filter(({ from }) => from === one.from)
    if (alike.length > MOST_PER_ADDRESS) sendAway(alike[0], 'too_many_logins')
    if (waiting.length > MOST_PER_ACCOUNT) sendAway(waiting[0], 'too_many_logins')
    if (everybody.size > MOST_IN_ALL) sendAway(everybody.values().next().value, 'too_many_logins')
    if (!known) void judgeAll(one.slot, waiting)
  }

  /** The result of `judge`, once it was this try's turn. */
  async function take<Result>(slot: number, judge: () => Promise<Result>, { from, signal }: Tried = {}): Promise<Result> {
    if (stopping.signal.aborted) throw new AppError('stopping')
    if (signal?.aborted) throw new AppError('too_many_logins')
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const one: Waiting = { slot, from, judge: async () => await judge().then(resolve, reject), refuse: reject }
    signal?.addEventListener('abort', () => sendAway(everybody.has(one) ? one : undefined, 'too_many_logins'), { once: true })
    add(one)
    return await promise
  }

  function stop(): void {
    stopping.abort()
    for (const one of everybody) sendAway(one, 'stopping')
  }

  return { take, stop }
}

export type LoginTurns = ReturnType<typeof createLoginTurns>
