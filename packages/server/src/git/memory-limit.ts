import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from '../lib/logger.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 20_000

/**
 * The command prefix that limits the memory of `git` and its child processes: a server can advertise an endless number of branches, and
 * git keeps them all. The limit is RLIMIT_DATA, which does not include the packs that git maps from disk.
 */
export function createMemoryLimit(deps: { path: string; log?: Pick<Logger, 'warn'> | undefined }) {
  let isThere: Promise<boolean> | undefined

  /** Tested by running it: an unusual `prlimit`, or a lower existing limit, must not break git. */
  async function probe(words: readonly string[]): Promise<boolean> {
    const [program = '', ...args] = words
    try {
      await run(program, [...args, program, '--version'], { env: { PATH: deps.path }, timeout: TIMEOUT_MS })
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
