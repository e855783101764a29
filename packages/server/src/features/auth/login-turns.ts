import { setTimeout as timer } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import { createSemaphore } from '../../lib/semaphore.ts'

/**
 * The client of an attempt: the number of waiting attempts per address is limited (`undefined` has no limit), and attempts of
 * disconnected clients are dropped.
 */
export type LoginAttempt = { from?: string | undefined; signal?: AbortSignal | undefined }
type Waiting = { slot: number; from: string | undefined; judge: () => Promise<void>; refuse: (cause: unknown) => void }
type Deps = {
  waitMs: (slot: number) => number
  /** Of several nodes: waits in the same way, and is asked again after it, because another node may have had its turn. */
  takeTurn?: ((slot: number) => Promise<number>) | undefined
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

const MOST_PER_ACCOUNT = 500
const MOST_IN_ALL = 1000
const MOST_PER_ADDRESS = 3 // per account

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal, ref: false }).catch(() => undefined) // ended early by a shutdown
}

/**
 * Attempts for one account are checked one after the other, each after the delay caused by earlier failures, so that parallel attempts
 * are no faster than sequential ones. The newest goes first, so that a flood already waiting does not block the owner. When too many are
 * waiting, per address or in total, the oldest is rejected unchecked, and so is an attempt whose client has disconnected.
 */
export function createLoginTurns({ waitMs, takeTurn, sleep = sleepUntil }: Deps) {
  const accounts = new Map<number, Waiting[]>() // accounts with an attempt in progress, and what waits behind it
  const everybody = new Set<Waiting>() // in order of arrival
  const stopping = new AbortController()
  const waitForTurn = createWaitForTurn({ takeTurn, sleep }, stopping.signal)

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

  /** Nobody is checked without a turn: guessing would not be slowed down while the database can be read but not written. */
  function refuseAll(waiting: readonly Waiting[], cause: unknown): void {
    for (let one = waiting[0]; one; one = waiting[0]) {
      forget(one)
      one.refuse(cause)
    }
  }

  async function judgeAll(slot: number, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const ms = waitMs(slot)
      if (ms > 0) await sleep(ms, stopping.signal)
      await waitForTurn(slot, waiting).catch((cause: unknown) => refuseAll(waiting, cause))
      const newest = waiting.at(-1) // looked up after the wait, because newer attempts may have arrived
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

  /** The result of `judge`, in turn. */
  async function take<Result>(slot: number, judge: () => Promise<Result>, { from, signal }: LoginAttempt = {}): Promise<Result> {
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

/** Each question is a transaction, and anybody can cause them: one at a time, and none for attempts that have been given up. */
function createWaitForTurn({ takeTurn, sleep }: Pick<Required<Deps>, 'takeTurn' | 'sleep'>, signal: AbortSignal) {
  const asking = createSemaphore(1)
  return async (slot: number, waiting: readonly Waiting[]): Promise<void> => {
    if (takeTurn === undefined) return
    const ask = async () => (waiting.length === 0 || signal.aborted ? 0 : await takeTurn(slot))
    for (let ms = await asking.run(ask); ms > 0; ms = await asking.run(ask)) await sleep(ms, signal)
  }
}

export type LoginTurns = ReturnType<typeof createLoginTurns>
