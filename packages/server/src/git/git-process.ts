import { runProcess } from '../lib/child-process.ts'
import { RepositoryUnreachable, SourceError } from './errors.ts'
import { createFailureReader } from './git-failure.ts'

export type GitCommand = {
  /** A command prefix that ends by executing `git`. */
  readonly before?: readonly string[]
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined
  readonly timeoutMs: number
  /** Another exit code than 0 that is no failure if git prints no error: nothing was found. */
  readonly emptyCode?: number
  readonly signal?: AbortSignal | undefined
  /** Called with chunks of stdout; without it the text is collected. Throwing ends the process, and the error is passed on. */
  readonly onOutput?: (chunk: Buffer) => void
  /** Called four times a second. Throwing ends the process, and the error is passed on. */
  readonly watch?: () => Promise<unknown>
}

const WATCH_EVERY_MS = 250
const MAX_TEXT = 8 * 1024 * 1024

/** Runs git once. It and every process it starts end together. */
export async function runGit(command: GitCommand): Promise<string> {
  const { cwd, env, runAs, signal } = command
  const [program = 'git', ...args] = [...(command.before ?? []), 'git', ...command.args]
  const out: Buffer[] = []
  let outBytes = 0
  const errors = createFailureReader()
  const ending = new AbortController()
  const collect = (chunk: Buffer) => {
    outBytes += chunk.length
    if (outBytes > MAX_TEXT)
      throw new SourceError('The repository has more branches, or a longer commit message, than Berth can read (8 MiB).')
    out.push(chunk)
  }
  const take = command.onOutput ?? collect
  const slow = () => ending.abort(new RepositoryUnreachable('Reading the repository took too long.'))
  const timer = setTimeout(slow, command.timeoutMs)
  const watching = watcher(command.watch, (why) => ending.abort(why))
  try {
    const code = await runProcess(program, args, {
      cwd,
      env,
      runAs,
      onOutput: (chunk, stream) => (stream === 'stdout' ? take(chunk) : errors.add(chunk)),
      signal: AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]),
      endWith: 'SIGKILL',
    })
    if (code !== 0 && (code !== command.emptyCode || !errors.isEmpty())) throw errors.failure()
    return Buffer.concat(out).toString('utf8')
  } finally {
    clearTimeout(timer)
    watching.stop()
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
