import type { Reserve } from './reserve.ts'

/** The pause after an attempt that failed although the disk seems to have space, and if it seems to have none. */
const TRY_AGAIN_MS = 1000
const TRY_ANYWAY_MS = 10_000

type Deps = { reserve: Pick<Reserve, 'mayHaveRoom' | 'hasRoom'>; onOpen: () => void }

/**
 * Closed when the disk refuses a write, and opened once there is space. While it is closed, ordinary writes are refused without an
 * attempt: many small ones that still fit would use up the space reserved for those that free some.
 */
export function createWriteGate({ reserve, onOpen }: Deps) {
  let closedAt: number | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  function close(): void {
    closedAt ??= performance.now()
  }

  function isOpen(): boolean {
    if (closedAt === undefined) return true
    const now = performance.now()
    const isWorthIt = reserve.mayHaveRoom() ? now - failedAt > TRY_AGAIN_MS : now - Math.max(closedAt, failedAt) > TRY_ANYWAY_MS
    if (!isWorthIt) return false
    if (!reserve.hasRoom()) {
      failedAt = now
      return false
    }
    closedAt = undefined
    onOpen()
    return true
  }

  return { close, isOpen }
}
