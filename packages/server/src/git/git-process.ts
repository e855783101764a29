import { spawn } from 'node:child_process'
import { endProcessGroup } from '../lib/process-group.ts'
import { RepositoryUnreachable, SourceError } from './errors.ts'
import { createFailureReader } from './git-failure.ts'

export type GitCommand = {
  /** Words before `git`, which end by becoming it. */
  readonly before?: readonly string[]
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called with pieces of stdout; without it the text is collected. Throwing ends the process and is passed on. */
  readonly onOutput?: (chunk: Buffer) => void
  /** Called four times a second; throwing ends the process and is passed on. */
  readonly watch?: () => Promise<unknown>
}

const WATCH_EVERY_MS = 250
const MAX_TEXT = 8 * 1024 * 1024

/** Runs git once, without a shell, in a process group of its own, so that what it started ends with it. */
export async function runGit(command: GitCommand): Promise<string> {
  command.signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const [program = 'git', ...args] = [...(command.before ?? []), 'git', ...command.args]
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...command.runAs,
  })
  const out: Buffer[] = []
  let outBytes = 0
  const errors = createFailureReader()
  let reason: unknown
  const end = (why: unknown) => {
    reason ??= why
    endProcessGroup(child.pid, 'SIGKILL')
  }
  const collect = (chunk: Buffer) => {
    outBytes += chunk.length
    if (outBytes > MAX_TEXT)
      throw new SourceError('The repository has more branches, or a longer commit message, than we can read (8 MiB).')
    out.push(chunk)
  }
  child.stdout.on('data', (chunk: Buffer) => {
    if (reason !== undefined) return // it was told to end, and what is left in the pipe is of no use
    try {
      ;(command.onOutput ?? collect)(chunk)
    } catch (why) {
      end(why)
    }
  })
  child.stderr.on('data', (chunk: Buffer) => errors.add(chunk))
  const onAbort = () => end(command.signal?.reason)
  command.signal?.addEventListener('abort', onAbort, { once: true })
  const slow = () => end(new RepositoryUnreachable('Reading the repository took too long.'))
  const timer = setTimeout(slow, command.timeoutMs)
  const watching = watcher(command.watch, end)
  child.once('error', reject)
  child.once('close', (code) => {
    if (reason !== undefined) reject(reason)
    else if (code === 0) resolve(Buffer.concat(out).toString('utf8'))
    else reject(errors.failure())
  })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    watching.stop()
    command.signal?.removeEventListener('abort', onAbort)
    endProcessGroup(child.pid, 'SIGKILL') // a helper that outlived git
  }
}

function watcher(watch: GitCommand['watch'], end: (why: unknown) => void): { stop(): void } {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    try {
      await watch?.()
    } catch (why) {
      end(why)
    }
    if (!isOver) timer = setTimeout(() => void look(), WATCH_EVERY_MS)
  }
  if (watch !== undefined) timer = setTimeout(() => void look(), WATCH_EVERY_MS)
  return {
    stop: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
