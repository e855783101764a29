import type { Logger } from '../lib/logger.ts'
import type { Task } from '../queue/periodic.ts'
import type { Db, Reader } from '../store/database.ts'
import { type Fence, LeaseLost } from './fence.ts'
import { freeLease, isLeaseHeld, takeLease } from './lease-store.ts'

const NAME = 'loops'
const LEASE_MS = 15_000
export const EXTEND_EVERY_MS = 3000

type Deps = {
  db: Db
  /** The boot id of this node. */
  holder: string
  fence: Fence
  /** By the clock of the database. */
  now: () => Date
  log: Logger
  /** This node runs the loops from now on. */
  onGained: () => void
}
type Held = { readonly fence: number; goodUntil: number; readonly lost: AbortController }

/** Which node runs the loops that must be single. It is the one that holds the lease; the others take it when it expires. */
export function createLeadership({ db, holder, fence, now, log, onGained }: Deps) {
  let held: Held | undefined

  const isOurs = () => held !== undefined && performance.now() <= held.goodUntil

  function lose(): void {
    held?.lost.abort(new LeaseLost(`the ${NAME}`))
    held = undefined
  }

  async function extend(): Promise<void> {
    if (held && performance.now() > held.goodUntil) lose()
    const askedAt = performance.now()
    const at = now()
    const wanted = { name: NAME, holder, fence: held?.fence, at, until: new Date(at.getTime() + LEASE_MS) }
    const taken = await db.transaction(async (tx) => await takeLease(tx, wanted))
    const goodUntil = askedAt + LEASE_MS
    if (taken !== undefined && taken === held?.fence) held.goodUntil = goodUntil
    else {
      lose()
      if (taken === undefined) return
      held = { fence: taken, goodUntil, lost: new AbortController() }
      log.info({ fence: taken }, 'This node now runs the loops that must be single')
      onGained()
    }
  }

  /** Runs only while this node holds the lease, and can change nothing after that. */
  function single(task: Task): Task {
    return {
      ...task,
      run: async (signal) => (isOurs() ? await run(async (lost) => await task.run(AbortSignal.any([signal, lost]))) : undefined),
    }
  }

  /** The same for other work of the holder. Rejects if this node does not hold the lease. */
  async function run<Result>(work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const mine = held
    if (mine === undefined || !isOurs()) throw new LeaseLost(`the ${NAME}`)
    const isHeld = async (reader: Reader) => await isLeaseHeld(reader, { name: NAME, holder, fence: mine.fence })
    const lease = { what: `the ${NAME}`, isHeld, lose: (cause: LeaseLost) => mine.lost.abort(cause) }
    return await fence.run(lease, async () => await work(mine.lost.signal))
  }

  /** At the end of the process, so that the others need not wait. */
  async function leave(): Promise<void> {
    const ours = held && { name: NAME, holder, fence: held.fence }
    lose()
    if (ours) await db.transaction(async (tx) => await freeLease(tx, ours))
  }

  return { extend, single, run, leave, isHeld: isOurs }
}

export type Leadership = ReturnType<typeof createLeadership>
