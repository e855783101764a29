import { spawn } from 'node:child_process'
import { endProcessGroup } from '../lib/process-group.ts'

export type CommandResult = { ok: boolean; output: string }

const keptOutput = 4_000

/**
 * Runs a system tool to its end, in its own process group: Ctrl-C at the terminal does not tear a package manager apart,
 * while an abort or the deadline ends the whole group.
 */
export function runSystemCommand(
  command: string,
  args: readonly string[],
  options: { timeoutMs: number; signal?: AbortSignal | undefined; input?: string },
): Promise<CommandResult> {
  const { timeoutMs, signal, input } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, deadline]) : deadline
  if (stop.aborted) return Promise.resolve({ ok: false, output: 'stopped before it began' })
  return new Promise((resolve) => {
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-keptOutput)
    }
    const child = spawn(command, args, { detached: true, stdio: 'pipe' })
    const end = () => endProcessGroup(child.pid, 'SIGTERM')
    const finish = (ok: boolean, reason: string) => {
      stop.removeEventListener('abort', end)
      resolve({ ok, output: `${output}${reason}`.trim() })
    }
    stop.addEventListener('abort', end)
    child.stdin.once('error', () => undefined) // it may end without reading all of it
    child.stdin.end(input)
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => finish(false, error.message))
    child.once('close', (code) => finish(code === 0, stop.aborted ? '\nstopped before it was done' : ''))
  })
}
