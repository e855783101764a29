import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from '../lib/logger.ts'

const run = promisify(execFile)

/**
 * The words that go before `git` so that neither it nor what it starts takes more memory than it may: a server can advertise branches without
 * end, and git keeps them all. The limit is that of data (RLIMIT_DATA), which leaves out the packs that git maps from the disk.
 */
export function createMemoryLimit(deps: { path: string; log?: Pick<Logger, 'warn'> | undefined }) {
  let isThere: Promise<boolean> | undefined

  /** Tested by running it: an unusual `prlimit`, or a lower existing limit, must not keep git from running. */
  async function probe(words: readonly string[]): Promise<boolean> {
    const [program = '', ...args] = words
    try {
      await run(program, [...args, program, '--version'], { env: { PATH: deps.path } })
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
