import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnreachable } from '../../../engine/api/errors.ts'

const PAUSE_MS = 500
const LONGEST_OUTAGE_MS = 60_000

/** An engine that restarts is no failure of the deployment: a call that found nobody is made again for up to a minute. */
export async function retryWhileEngineAway<Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
  onWait: () => void = () => undefined,
): Promise<Result> {
  const giveUpAt = performance.now() + LONGEST_OUTAGE_MS
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (cause) {
      if (!(cause instanceof EngineUnreachable) || signal.aborted || performance.now() > giveUpAt) throw cause
      if (tries === 1) onWait()
      await sleep(PAUSE_MS, undefined, { signal })
    }
  }
}
