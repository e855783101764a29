import { coalesce } from '../lib/coalesce.ts'
import { backoffMs } from '../lib/retry.ts'
import { EdgeProblem, EdgeUnavailable } from './edge.ts'

/** Soon at first, and at the latest with the regular repair. */
const RETRY = { firstMs: 1000, longestMs: 30_000 }

const UNNAMED = "The proxy could not be updated. Berth's log says why."

/** Runs passes one at a time: on request, soon after a failure, and regularly in full. */
export function createEdgeLoop(deps: {
  pass: (isFull: boolean) => Promise<void>
  onFailure: (message: string, cause: unknown) => void
  repairEveryMs: number
}) {
  const { pass, onFailure, repairEveryMs } = deps
  const next = coalesce(runPass)
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let isFullDue = true
  let isClosed = false

  async function runPass(): Promise<void> {
    if (isClosed) return
    clearTimeout(timer)
    const isFull = isFullDue
    isFullDue = false
    try {
      await pass(isFull)
      failures = 0
      plan(repairEveryMs)
    } catch (cause) {
      failures += 1
      isFullDue = true
      const message = cause instanceof EdgeProblem ? cause.message : UNNAMED
      onFailure(message, cause)
      plan(backoffMs(failures, RETRY))
      throw new EdgeUnavailable(message, { cause })
    }
  }

  function plan(delayMs: number): void {
    if (isClosed) return
    timer = setTimeout(begin, delayMs)
    timer.unref()
  }

  /** A full pass in the background. A failure has already been passed to `onFailure`, and the next attempt is scheduled. */
  function begin(): void {
    repair().catch(() => undefined)
  }

  async function request(): Promise<void> {
    if (isClosed) throw new EdgeUnavailable('The edge controller is closed.')
    await next()
  }

  async function repair(): Promise<void> {
    isFullDue = true
    await request()
  }

  /** Waits for the running pass. No other one follows. */
  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await next()
  }

  return { begin, request, repair, close }
}
