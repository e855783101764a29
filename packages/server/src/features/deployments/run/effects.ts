import { EngineUnreachable } from '../../../engine/api/errors.ts'
import { retry, steadily } from '../../../lib/retry.ts'
import type { Step } from '../../../lib/step.ts'

type Deps = { step: Step; signal: AbortSignal; say: (line: string) => void }
type Work<Result> = (signal: AbortSignal) => Promise<Result>

export type Effects = {
  /**
   * Runs work with an effect outside the database as a step, and retries it while the engine is unreachable. `signal` defaults to the
   * deployment's own.
   */
  readonly effect: <Result>(name: string, work: Work<Result>, signal?: AbortSignal) => Promise<Result>
  /** The same for a read of the engine, which is not a step. */
  readonly ask: <Result>(work: Work<Result>, signal?: AbortSignal) => Promise<Result>
}

const PAUSE_MS = 500
const LONGEST_OUTAGE_MS = 60_000

/** A restart of the engine must not fail a deployment, so calls are retried for up to a minute while it is unreachable. */
export function createEffects({ step, signal: own, say }: Deps): Effects {
  return {
    effect: async (name, work, signal = own) =>
      await step(name, () => retryWhileEngineAway(signal, work, () => say('The container engine is not responding; waiting for it'))),
    ask: async (work, signal = own) => await retryWhileEngineAway(signal, work, () => undefined),
  }
}

async function retryWhileEngineAway<Result>(signal: AbortSignal, work: Work<Result>, onWait: () => void): Promise<Result> {
  return await retry(() => work(signal), {
    isTransient: (cause) => cause instanceof EngineUnreachable && !signal.aborted,
    delayMs: steadily(PAUSE_MS, LONGEST_OUTAGE_MS),
    onWait: (failures) => (failures === 1 ? onWait() : undefined),
    signal,
  })
}
