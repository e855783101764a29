import type { Reserve } from './reserve.ts'

/** After a try that failed though the disk seems to have room, and where it seems to have none. */
const TRY_AGAIN_MS = 1000
const TRY_ANYWAY_MS = 10_000

type Deps = { reserve: Pick<Reserve, 'mayHaveRoom' | 'hasRoom'>; onOpen: () => void }

/**
 * Shut by a write that the disk did not take, and open again once it has room. Behind a shut gate ordinary writes are refused before they
 * try: many small ones that still fit somewhere would use up what is kept for those that free space.
 */
export function createWriteGate({ reserve, onOpen }: Deps) {
  let shutAt: number | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  function shut(): void {
    shutAt ??= performance.now()
  }

  function isOpen(): boolean {
    if (shutAt === undefined) return true
    const now = performance.now()
    const isWorthIt = reserve.mayHaveRoom() ? now - failedAt > TRY_AGAIN_MS : now - Math.max(shutAt, failedAt) > TRY_ANYWAY_MS
    if (!isWorthIt) return false
    if (!reserve.hasRoom()) {
      failedAt = now
      return false
    }
    shutAt = undefined
    onOpen()
    return true
  }

  return { shut, isOpen }
}
