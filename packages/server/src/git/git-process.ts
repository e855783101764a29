import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runProcess } from '../lib/child-process.ts'
import type { Logger } from '../lib/logger.ts'
import { RepositoryUnreachable, SourceError } from './errors.ts'
import { createFailureReader } from './git-failure.ts'

export type GitCommand = {
  /** A command prefix that ends by executing `git`, such as that of a memory limit. */
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
const PROBE_TIMEOUT_MS = 20_000
const run = promisify(execFile)

/** The limits of each git process. */
export type MemoryMib = { readonly ask: number; readonly work: number }
type Run = Pick<GitCommand, 'onOutput' | 'watch' | 'cwd' | 'timeoutMs' | 'emptyCode'> & {
  /** `ask`: a person is waiting, and little is needed. Otherwise a whole repository may be processed. */
  readonly memory?: keyof MemoryMib
}
type Setting = Pick<GitCommand, 'env' | 'runAs' | 'signal'> & { readonly settings: () => readonly string[] }

// Listing branches takes 1 MiB. A repository needs memory for its object names and for the files stored as deltas.
const MEMORY_MIB: MemoryMib = { ask: 128, work: 1024 }

/** Git, set up for one source. */
export function createGitFor(deps: { path: string; memoryMib?: MemoryMib; log?: Pick<Logger, 'warn'> | undefined }) {
  const { memoryMib = MEMORY_MIB } = deps
  const limited = createMemoryLimit(deps)
  return ({ settings, ...own }: Setting) =>
    async (args: readonly string[], { memory = 'work', ...run }: Run): Promise<string> => {
      const before = await limited(memoryMib[memory])
      return await runGit({ ...run, ...own, before, args: [...settings(), ...args] })
    }
}

export type GitFor = ReturnType<typeof createGitFor>

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
    if (outBytes > MAX_TEXT) throw new SourceError('Git printed more than Berth can read (8 MiB), for example a very long commit message.')
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
      isBackground: true,
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

/**
 * The command prefix that limits the memory of `git` and its child processes: a server can advertise an endless number of branches, and
 * git keeps them all. The limit is RLIMIT_DATA, which does not include the packs that git maps from disk.
 */
function createMemoryLimit(deps: { path: string; log?: Pick<Logger, 'warn'> | undefined }) {
  let isThere: Promise<boolean> | undefined

  /** Tested by running it: an unusual `prlimit`, or a lower existing limit, must not break git. */
  async function probe(words: readonly string[]): Promise<boolean> {
    const [program = '', ...args] = words
    try {
      await run(program, [...args, program, '--version'], { env: { PATH: deps.path }, timeout: PROBE_TIMEOUT_MS })
      return true
    } catch (cause) {
      deps.log?.warn({ err: cause }, 'Git runs without a memory limit: prlimit (Debian: util-linux) is missing or cannot set one')
      return false
    }
  }

  return async function limited(mebibytes: number): Promise<readonly string[]> {
    const words = ['prlimit', `--data=${mebibytes * 1024 ** 2}`]
    isThere ??= probe(words)
    return (await isThere) ? words : []
  }
}
