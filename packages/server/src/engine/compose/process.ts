import { spawn } from 'node:child_process'
import { endProcessGroup } from '../../lib/process-group.ts'
import { createLineSplitter } from '../build/line-splitter.ts'

export type ComposeRun = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  onLine(line: string, stream: 'stdout' | 'stderr'): void
  readonly signal: AbortSignal
}

/** Runs the Compose CLI without a shell, in a process group that ends as a whole. Gives the exit code; null when there is no such program. */
export function runCompose(run: ComposeRun): Promise<number | null> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(run.signal.reason)
    const child = spawn(run.command, run.args, { cwd: run.cwd, env: run.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const kill = () => endProcessGroup(child.pid, 'SIGKILL')
    run.signal.addEventListener('abort', kill, { once: true })
    for (const stream of ['stdout', 'stderr'] as const) {
      const lines = createLineSplitter()
      child[stream].on('data', (chunk: Buffer) => lines.push(chunk).forEach((line) => run.onLine(line, stream)))
      child[stream].once('end', () => lines.end().forEach((line) => run.onLine(line, stream)))
    }
    child.once('error', (cause: NodeJS.ErrnoException) => {
      run.signal.removeEventListener('abort', kill)
      if (cause.code === 'ENOENT') resolve(null)
      else reject(cause)
    })
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', kill)
      if (run.signal.aborted) reject(run.signal.reason)
      else resolve(code ?? 1)
    })
  })
}
