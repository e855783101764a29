import type { Finding } from '@berth/contract'

/** Runs a command of this program in a separate process, and returns its output. */
type RunCommand = (args: readonly string[], signal: AbortSignal) => Promise<{ isOk: boolean; output: string }>

const ENDS_WITHIN_MS = 60_000

/** The checks of `berth-server doctor`. One run at a time, whose findings everybody gets who asks meanwhile: it reads the whole database. */
export function createDoctor({ runCommand }: { runCommand: RunCommand }) {
  let running: Promise<Finding[]> | undefined

  async function examine(): Promise<Finding[]> {
    const { isOk, output } = await runCommand(['doctor', '--json'], AbortSignal.timeout(ENDS_WITHIN_MS))
    if (!isOk) throw new Error(`doctor failed: ${output}`)
    return JSON.parse(output) as Finding[] // printed by our own command
  }

  return async function run(): Promise<Finding[]> {
    running ??= examine().finally(() => (running = undefined))
    return await running
  }
}

export type Doctor = ReturnType<typeof createDoctor>
