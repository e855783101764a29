import { setTimeout as sleep } from 'node:timers/promises'
import { findDataMove } from '../../domain/app-data.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Tuning } from '../../lib/tuning.ts'
import type { Reader } from '../../store/database.ts'
import type { Moving } from './moving.ts'

/** It took too long, or somebody stopped it. */
export class MoveEnded extends Error {
  override readonly name = 'MoveEnded'
}

const HOUR_MS = 3_600_000

type Deps = { db: Reader; tuning: Pick<Tuning, 'copyDeadlineMs' | 'copyLookMs'>; log: Pick<Logger, 'warn'> }

/** Aborts the work when it takes too long or somebody stops the move. The stage is read from the row, since any node can write it. */
export async function whileCopying(
  { db, tuning, log }: Deps,
  { move, signal }: Moving,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController()
  const done = new AbortController()
  const until = performance.now() + tuning.copyDeadlineMs

  async function whyOver(): Promise<string> {
    if (performance.now() >= until) return `it took longer than ${Math.round(tuning.copyDeadlineMs / HOUR_MS)} hours.`
    const stage = await findDataMove(db, move.app_id).then((found) => found?.stage)
    return stage === 'copying' ? '' : 'it was stopped.'
  }

  async function watch(): Promise<void> {
    while (!done.signal.aborted) {
      await sleep(tuning.copyLookMs, undefined, { signal: done.signal }).catch(() => undefined)
      const why = await whyOver().catch((cause: unknown) => {
        log.warn({ appId: move.app_id, err: cause }, 'it could not be read whether a move was stopped')
        return ''
      })
      if (why !== '') return over.abort(new MoveEnded(why))
    }
  }

  const watching = watch()
  try {
    await work(AbortSignal.any([signal, over.signal]))
  } catch (cause) {
    if (!signal.aborted && over.signal.aborted) throw over.signal.reason
    throw cause
  } finally {
    done.abort()
    await watching
  }
}
