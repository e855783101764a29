import { STEPS, type StepName } from '@berth/contract'
import type { Tuning } from '../../../lib/tuning.ts'
import { StageTimedOut } from './failure-reason.ts'
import type { StageName } from './stage.ts'
import { storedSteps } from './steps.ts'

type Silence = { readonly limitMs: number; readonly says: (waited: string) => string }
type Limits = { readonly deadlineMs: number; readonly silence?: Silence }

/** How long each stage may take in total, and how long without any activity. */
function limitsOf(tuning: Tuning): Record<StageName, Limits> {
  return {
    cloning_repo: {
      deadlineMs: tuning.cloneDeadlineMs,
      silence: {
        limitMs: tuning.cloneIdleMs,
        says: (waited) => `The git server sent nothing for ${waited}, so cloning was stopped. Check that it works, then deploy again.`,
      },
    },
    building_image: {
      deadlineMs: tuning.buildDeadlineMs,
      silence: {
        limitMs: tuning.buildIdleMs,
        says: (waited) =>
          `The build printed nothing for ${waited} and was stopped. If a step takes that long, make it print something from time to time.`,
      },
    },
    // What they wait for has its own limits: health checks, draining, stopping.
    stopping_old: { deadlineMs: tuning.startDeadlineMs },
    starting_new: { deadlineMs: tuning.startDeadlineMs },
  }
}

type Deps = { tuning: Tuning; end: (why: StageTimedOut) => void }

/** Ends a stage that takes too long or shows no activity for too long. */
export function createStageLimits({ tuning, end }: Deps) {
  const limits = limitsOf(tuning)
  let deadline: NodeJS.Timeout | undefined
  let silence: NodeJS.Timeout | undefined
  let activeAt = 0

  /** `words`: what the log calls the stage. */
  function enter(stage: StageName, words: string): void {
    stop()
    const { deadlineMs, silence: limit } = limits[stage]
    const late = () => end(new StageTimedOut(`${words} took longer than ${duration(deadlineMs)} and was stopped.`))
    deadline = setTimeout(late, deadlineMs)
    active()
    if (limit !== undefined) listen(limit)
  }

  /** One timer that compares times, instead of one that is reset by every line of a build. */
  function listen(limit: Silence): void {
    const leftMs = activeAt + limit.limitMs - performance.now()
    if (leftMs > 0) silence = setTimeout(() => listen(limit), Math.ceil(leftMs))
    else end(new StageTimedOut(limit.says(duration(limit.limitMs))))
  }

  function active(): void {
    activeAt = performance.now()
  }

  function stop(): void {
    clearTimeout(deadline)
    clearTimeout(silence)
  }

  return { enter, active, stop }
}

function duration(ms: number): string {
  const [amount, unit] = ms < 60_000 ? [Math.round(ms / 1000), 'second'] : [Math.round(ms / 60_000), 'minute']
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

type Clock = { now: () => Date; monotonicMs: () => number }

/** Times the steps of a deployment. A run that continues after a crash keeps the steps that had ended. */
export function createSteps(stored: string, { now, monotonicMs }: Clock) {
  let steps = storedSteps(stored)
  let begunAt = 0
  let running: StepName | undefined

  function end(): void {
    if (running === undefined) return
    const seconds = Math.round((monotonicMs() - begunAt) / 100) / 10
    steps = steps.map((step) => (step.name === running ? { ...step, seconds } : step))
    running = undefined
  }

  function begin(name: StepName): void {
    if (running === name) return
    end()
    const earlier = steps.filter((step) => step.seconds !== null && STEPS.indexOf(step.name) < STEPS.indexOf(name))
    steps = [...earlier, { name, started_at: now().toISOString(), seconds: null }]
    begunAt = monotonicMs()
    running = name
  }

  const text = () => JSON.stringify(steps)
  return {
    begin,
    text,
    /** Ends the current step first. */
    ended: () => {
      end()
      return text()
    },
  }
}

/** Whole seconds of a monotonic clock, so that a change of the system time cannot make a duration negative. */
export function createStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.max(0, Math.round((performance.now() - startedAt) / 1000))
}
