import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 50

/**
 * Runs while no server uses the data directory: with the lock that every server holds. After a crash of the supervisor a server may still
 * be on its way out.
 */
export async function withDataLock<Result>(dataDir: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  if (!existsSync(dataDir)) return await work()
  const { DatabaseSync } = await import('node:sqlite')
  for (;;) {
    signal.throwIfAborted()
    const lock = new DatabaseSync(join(dataDir, 'lock.sqlite'))
    try {
      lock.exec('pragma journal_mode = memory; begin exclusive')
    } catch {
      lock.close()
      await sleep(LOOK_MS)
      continue
    }
    try {
      return await work()
    } finally {
      lock.close()
    }
  }
}
