import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Held while an update is carried out. The kernel releases it when the process dies, so the installer can tell an update that is slow from
 * one that was interrupted: it finds the file in /proc/locks.
 */
export function createWorkingLock(updatesDir: string) {
  let held: DatabaseSync | undefined

  async function take(): Promise<void> {
    if (held) return
    const sqlite = await import('node:sqlite')
    let lock: DatabaseSync | undefined
    try {
      lock = new sqlite.DatabaseSync(join(updatesDir, 'working.sqlite'))
      lock.exec('pragma journal_mode = memory; begin exclusive')
      held = lock
    } catch {
      lock?.close() // on a full disk the update matters more than what others know about it
    }
  }

  function release(): void {
    held?.close()
    held = undefined
  }

  return { take, release }
}

export type WorkingLock = ReturnType<typeof createWorkingLock>
