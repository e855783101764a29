import type { Logger } from '../../../lib/logger.ts'
import type { SharedLogs } from './shared-logs.ts'

type Deps = {
  shared: Pick<SharedLogs, 'ship' | 'close'>
  log: Pick<Logger, 'warn'>
  pathOf: (deploymentId: number) => string
  writtenBytes: (deploymentId: number) => number | undefined
  closeAgainMs?: number
}
type Writing = { writers: number; readonly timer: NodeJS.Timeout; last: Promise<void> }

const STORE_EVERY_MS = 1000
const CLOSE_AGAIN_MS = 10_000

/** While this node writes a log, what is new in it is stored every second, and the rest at its end. */
export function createStoredWriting({ shared, log, pathOf, writtenBytes, closeAgainMs = CLOSE_AGAIN_MS }: Deps) {
  const writing = new Map<number, Writing>()

  /** `takeOver` is called for the first writer. Call the result when that writer has ended. */
  async function begin(deploymentId: number, takeOver: () => Promise<void>): Promise<() => Promise<void>> {
    const known = writing.get(deploymentId)
    if (known) known.writers += 1
    else {
      await takeOver()
      const timer = setInterval(() => void store(deploymentId), STORE_EVERY_MS)
      writing.set(deploymentId, { writers: 1, timer, last: Promise.resolve() })
    }
    return async () => await end(deploymentId)
  }

  /** One at a time. Without the database, the next time stores more. */
  async function store(deploymentId: number): Promise<void> {
    const mine = writing.get(deploymentId)
    if (!mine) return
    const at = { path: pathOf(deploymentId), end: writtenBytes(deploymentId) }
    const stored = mine.last.then(async () => {
      if (!(await shared.ship(deploymentId, at))) clearInterval(mine.timer) // another node writes it by now
    })
    mine.last = stored.catch((err: unknown) => log.warn({ deploymentId, err }, 'new lines of a build log are not in the database yet'))
    await mine.last
  }

  async function end(deploymentId: number): Promise<void> {
    const mine = writing.get(deploymentId)
    if (!mine) return
    mine.writers -= 1
    if (mine.writers > 0) return
    clearInterval(mine.timer)
    writing.delete(deploymentId)
    await mine.last
    await close(deploymentId)
  }

  /** The database may be away for a while; what is stored after the next start comes too late for who reads it on another node. */
  async function close(deploymentId: number): Promise<void> {
    if (writing.has(deploymentId) || (await shared.close(deploymentId, pathOf(deploymentId)))) return
    setTimeout(() => void close(deploymentId), closeAgainMs).unref()
  }

  return { begin }
}
