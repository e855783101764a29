import { runProcess } from '../../lib/child-process.ts'
import { errorCode } from '../../lib/error-code.ts'
import { createLineSplitter } from '../build/line-splitter.ts'

export type ComposeRun = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void
  readonly signal: AbortSignal
}

/** Runs the Compose CLI. Returns its exit code; null when there is no such program. */
export async function runCompose({ command, args, cwd, env, onLine, signal }: ComposeRun): Promise<number | null> {
  const lines = { stdout: createLineSplitter(), stderr: createLineSplitter() }
  const onOutput = (chunk: Buffer, stream: keyof typeof lines) => lines[stream].push(chunk).forEach((line) => onLine(line, stream))
  try {
    return (await runProcess(command, args, { cwd, env, onOutput, signal, endWith: 'SIGKILL' })) ?? 1
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  } finally {
    for (const stream of ['stdout', 'stderr'] as const) lines[stream].end().forEach((line) => onLine(line, stream))
  }
}
