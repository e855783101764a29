import { AppError } from '../../lib/app-error.ts'
import { createSemaphore, SemaphoreFull } from '../../lib/semaphore.ts'

/** Node has four threads for file access, DNS lookups and hashes together. */
const MOST_AT_ONCE = 2
const MOST_WAITING = 500

/**
 * A hash takes a thread, a core and 19 MiB for tens of milliseconds. So only a few run at once, to leave a thread for files and a core
 * for everything else. The rest wait here, and those that must not wait behind anonymous logins go first.
 */
export function createHashQueue({ cores }: { cores: number }) {
  const places = createSemaphore(Math.max(1, Math.min(MOST_AT_ONCE, cores - 1)), { mostWaiting: MOST_WAITING })

  async function run<Result>(hash: () => Promise<Result>, { isFirst }: { isFirst: boolean }): Promise<Result> {
    try {
      return await places.run(hash, { isFirst })
    } catch (cause) {
      throw cause instanceof SemaphoreFull ? new AppError('too_many_logins', { cause }) : cause
    }
  }

  return { run }
}

export type HashQueue = ReturnType<typeof createHashQueue>
