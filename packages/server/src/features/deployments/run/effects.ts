import { EngineUnreachable } from '../../../engine/api/errors.ts'
import { retry, steadily } from '../../../lib/retry.ts'
import type { Step } from '../../../lib/step.ts'

type Deps = { step: Step; signal: AbortSignal; say: (line: string) => void }
type Work<Result> = (signal: AbortSignal) => Promise<Result>

export type Effects = {
  /** Has an effect outside the database: a step, tried again while the engine is away. `signal` is the deployment's own unless told otherwise. */
  readonly effect: <Result>(name: string, work: Work<Result>, signal?: AbortSignal) => Promise<Result>
  /** The same without an effect: a question to the engine. */
  readonly ask: <Result>(work: Work<Result>, signal?: AbortSignal) => Promise<Result>
}

const PAUSE_MS = 500
const LONGEST_OUTAGE_MS = 60_000

/** An engine that restarts is no failure of the deployment: a call that found nobody is made again for up to a minute. */
export function createEffects({ step, signal: own, say }: Deps): Effects {
  return {
    effect: async (name, work, signal = own) =>
      await step(name, () => retryWhileEngineAway(signal, work, () => say('The container engine does not answer; waiting for it'))),
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
