import { existsSync } from 'node:fs'
import { runProcess } from '../lib/child-process.ts'

export type CommandResult = { ok: boolean; output: string }

const KEPT_OUTPUT = 4_000

// The directory that systemd's own sd_booted() looks for.
export const isServiceManagerRunning = (): boolean => existsSync('/run/systemd/system')

/** Variables that a transient unit does not inherit. */
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy']

/**
 * The words that run a program which changes the system, such as a package manager. Our own unit may not write to /usr and /etc, so where
 * there is a service manager, the program runs in a unit of its own.
 */
export function outsideOwnUnit(words: readonly string[], hasServiceManager = isServiceManagerRunning()): readonly string[] {
  if (!hasServiceManager) return words
  return ['systemd-run', '--quiet', '--wait', '--pipe', '--collect', ...PROXIES.map((name) => `--setenv=${name}`), '--', ...words]
}

/**
 * Runs a system tool in its own process group, so that Ctrl-C in the terminal does not interrupt a package manager, while an abort or the
 * deadline ends the whole group.
 */
export async function runSystemCommand(
  command: string,
  args: readonly string[],
  options: { timeoutMs: number; signal?: AbortSignal | undefined; input?: string; keptOutput?: number },
): Promise<CommandResult> {
  const { timeoutMs, signal, input, keptOutput = KEPT_OUTPUT } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, deadline]) : deadline
  if (stop.aborted) return { ok: false, output: 'stopped before it started' }
  let output = ''
  const onOutput = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput)
  }
  try {
    const code = await runProcess(command, args, { input, onOutput, signal: stop, endWith: 'SIGTERM' })
    return { ok: code === 0, output: output.trim() }
  } catch (cause) {
    const reason = stop.aborted ? '\nstopped before it was done' : String(cause instanceof Error ? cause.message : cause)
    return { ok: false, output: `${output}${reason}`.trim() }
  }
}
