import { EdgeUnavailable } from './edge.ts'
import { retryDelayMs } from './retry-delay.ts'

/** Runs passes one at a time: on request, again soon after a failure, and in full every so often. */
export function createEdgeLoop(deps: {
  pass: (isFull: boolean) => Promise<void>
  onFailure: (message: string, cause: unknown) => void
  repairEveryMs: number
}) {
  const { pass, onFailure, repairEveryMs } = deps
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let isFullDue = true
  let isClosed = false

  async function runPass(): Promise<void> {
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
      const message = cause instanceof Error ? cause.message : String(cause)
      onFailure(message, cause)
      plan(retryDelayMs(failures))
      throw new EdgeUnavailable(message, { cause })
    }
  }

  function plan(delayMs: number): void {
    if (isClosed) return
    timer = setTimeout(begin, delayMs)
    timer.unref()
  }

  /** A full pass that nobody waits for: `onFailure` has heard of a failure already, and the next try is planned. */
  function begin(): void {
    repair().catch(() => undefined)
  }

  /** Calls that arrive during a pass share the next one, which sees everything wanted by then. */
  function request(): Promise<void> {
    if (isClosed) return Promise.reject(new EdgeUnavailable('The edge controller is closed.'))
    waiting ??= running.then(start, start)
    return waiting
  }

  function start(): Promise<void> {
    waiting = undefined
    running = isClosed ? Promise.resolve() : runPass()
    return running
  }

  function repair(): Promise<void> {
    isFullDue = true
    return request()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await running.catch(() => undefined)
  }

  return { begin, request, repair, close }
}
