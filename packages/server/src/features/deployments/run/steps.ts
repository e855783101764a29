import { type DeploymentStep, STEPS, type StepName } from '@berth/contract'

type Clock = { now: () => Date; monotonicMs: () => number }

/** The stored steps of a deployment. */
export function storedSteps(text: string): DeploymentStep[] {
  return JSON.parse(text) as DeploymentStep[] // written below and nowhere else
}

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
