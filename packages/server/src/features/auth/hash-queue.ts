import { AppError } from '../../lib/app-error.ts'

type Start = () => void

/** Node has four threads for files, host names and hashes together. */
const MOST_AT_ONCE = 2
const MOST_WAITING = 500

/**
 * A hash takes a thread, a core and 19 MiB for tens of milliseconds. So only a few run at once: a thread is left for files,
 * a core for everybody else. The rest wait here, and those who must not wait behind strangers go first.
 */
export function createHashQueue({ cores }: { cores: number }) {
  const atOnce = Math.max(1, Math.min(MOST_AT_ONCE, cores - 1))
  const first: Start[] = []
  const others: Start[] = []
  let running = 0

  async function turn(waiting: Start[]): Promise<void> {
    if (waiting.length >= MOST_WAITING) throw new AppError('too_many_logins')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Whoever ends hands their place to the next, so the number of those that run never grows. */
  function leave(): void {
    const next = first.shift() ?? others.shift()
    if (next) next()
    else running -= 1
  }

  async function run<Result>(hash: () => Promise<Result>, { isFirst }: { isFirst: boolean }): Promise<Result> {
    if (running >= atOnce) await turn(isFirst ? first : others)
    else running += 1
    try {
      return await hash()
    } finally {
      leave()
    }
  }

  return { run }
}

export type HashQueue = ReturnType<typeof createHashQueue>
