import { spawn } from 'node:child_process'

type Options = {
  readonly cwd?: string
  /** Ours when left out. */
  readonly env?: Readonly<Record<string, string>>
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined
  readonly input?: string | undefined
  /** Gets the output as it comes; nothing else keeps it. Throwing ends the group, and `runProcess` rejects with what was thrown. */
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void
  /** Aborting ends the group, and `runProcess` rejects with the reason. */
  readonly signal: AbortSignal
  /**
   * SIGKILL ends the group at once, and whatever is left of it once the program has exited. SIGTERM is for programs that must clean up, and
   * for those that start a service: what outlives them is left running.
   */
  readonly endWith: 'SIGKILL' | 'SIGTERM'
}

/** Runs a program without a shell, in a process group of its own, until it has exited and its output is closed. Returns the exit code, null after a signal. */
export async function runProcess(program: string, args: readonly string[], options: Options): Promise<number | null> {
  const { cwd, env, runAs, input, onOutput, signal, endWith } = options
  signal.throwIfAborted()
  const child = spawn(program, args, { detached: true, stdio: 'pipe', ...(cwd && { cwd }), ...(env && { env }), ...runAs })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  let ended: { reason: unknown } | undefined
  let isOutputRefused = false

  function end(reason: unknown): void {
    ended ??= { reason }
    signalGroup(child.pid, endWith)
  }

  function onAbort(): void {
    end(signal.reason)
  }

  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      if (isOutputRefused) return
      try {
        onOutput(chunk, stream)
      } catch (cause) {
        isOutputRefused = true
        end(cause)
      }
    })
  child.stdin.once('error', () => undefined) // the program may exit without reading all of it
  child.stdin.end(input)
  child.once('error', reject)
  child.once('close', (code) => (ended === undefined ? resolve(code) : reject(ended.reason)))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (endWith === 'SIGKILL') signalGroup(child.pid, endWith)
  }
}

/** A child started `detached` is the head of a group, which has its number. */
function signalGroup(pid: number | undefined, signal: Options['endWith']): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // the group has exited already
  }
}
