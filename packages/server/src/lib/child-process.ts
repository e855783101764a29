import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'

type Options = {
  readonly cwd?: string
  /** Default: our own. */
  readonly env?: Readonly<Record<string, string>>
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined
  readonly input?: string | undefined
  /** Below everything else on the machine, where it and what it starts may be kept busy by somebody's data. */
  readonly isBackground?: boolean
  /** The input stays open, and ends when this process does, even by SIGKILL. */
  readonly isInputHeld?: boolean
  /**
   * Called with the output as it arrives; it is not kept elsewhere. Throwing ends the process group, and `runProcess` rejects with that
   * error.
   */
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void
  /** Aborting ends the group, and `runProcess` rejects with the reason. */
  readonly signal: AbortSignal
  /**
   * SIGKILL ends the group at once, and also kills what is left of it once the program has exited, also if that keeps the output open. SIGTERM is for programs that must
   * clean up or that start a service: processes that outlive them are left running.
   */
  readonly endWith: 'SIGKILL' | 'SIGTERM'
}

/** For output of the program that is still on its way. */
const REST_MS = 1000

/**
 * Runs a program without a shell, in a process group of its own, until it has exited and its output is closed. Returns the exit code,
 * null after a signal.
 */
export async function runProcess(program: string, args: readonly string[], options: Options): Promise<number | null> {
  const { cwd, env, runAs, input, isInputHeld = false, isBackground = false, onOutput, signal, endWith } = options
  signal.throwIfAborted()
  const child = spawn(program, args, { detached: true, stdio: 'pipe', ...(cwd && { cwd }), ...(env && { env }), ...runAs })
  if (isBackground && child.pid !== undefined) lowerPriority(child.pid)
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  let ended: { reason: unknown } | undefined
  let rest: NodeJS.Timeout | undefined
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
  child.stdin.once('error', () => undefined) // the program may exit without reading all of its input
  if (!isInputHeld) child.stdin.end(input)
  child.once('error', reject)
  // A server that git talks to can make it leave a process that waits for it, with the output open.
  if (endWith === 'SIGKILL') child.once('exit', () => (rest = setTimeout(() => signalGroup(child.pid, endWith), REST_MS)))
  child.once('close', (code) => (ended === undefined ? resolve(code) : reject(ended.reason)))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    clearTimeout(rest)
    signal.removeEventListener('abort', onAbort)
    if (endWith === 'SIGKILL') signalGroup(child.pid, endWith)
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it has exited already
  }
}

/** A child started `detached` leads a process group with its own pid as the id. */
function signalGroup(pid: number | undefined, signal: Options['endWith']): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // the group has exited already
  }
}
