/** Where a test wants the process to fail: at the n-th side effect, before or after it. */
export type Fault = { kind: 'crash-before' | 'crash-after' | 'error' | 'delay'; at: number; ms: number }

export type Step = <Result>(name: string, effect: () => Promise<Result>) => Promise<Result>

/** Runs a side effect of a deployment. A test can make it fail here; otherwise it does nothing else. */
export function createStep(fault: Fault | undefined, onStep: (n: number, name: string) => void = () => undefined): Step {
  if (!fault) return async (_name, effect) => await effect()
  let count = 0
  return async (name, effect) => {
    count += 1
    const n = count
    onStep(n, name)
    if (n !== fault.at) return await effect()
    if (fault.kind === 'crash-before') process.kill(process.pid, 'SIGKILL')
    if (fault.kind === 'error') throw new Error(`injected failure at step ${n} (${name})`)
    if (fault.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    const result = await effect()
    if (fault.kind === 'crash-after') process.kill(process.pid, 'SIGKILL')
    return result
  }
}
