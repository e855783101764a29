import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../lib/retry.ts'
import type { Tuning } from '../lib/tuning.ts'
import type { CarryOut } from './carry-out.ts'
import { withDataLock } from './data-lock.ts'
import type { Layout } from './layout.ts'
import type { ServerChild } from './server-child.ts'
import { isWithSupervisor, type UpdateRecord } from './update-record.ts'
import type { UpdateRecords } from './update-records.ts'
import { watchServer } from './watch.ts'
import type { WorkingLock } from './working-lock.ts'

type Deps = {
  dataDir: string
  layout: Layout
  records: UpdateRecords
  carryOut: CarryOut
  working: WorkingLock
  /** `checked`: it must not write, because the database may go back. */
  start: (version: string, mode: 'normal' | 'checked') => ServerChild
  /** Becomes the supervisor of the release that `current` leads to, if that is another one. It does not return then. */
  becomeCurrent: () => void
  tuning: Tuning
  say: (text: string) => void
  stopping: AbortSignal
}

const REST = { firstMs: 500, longestMs: 30_000 }
const STABLE_MS = 60_000

/** Before `current` leads to the new version, what does not work ends the update. */
async function prepare(update: UpdateRecord, { becomeCurrent, carryOut, records, stopping }: Deps): Promise<void> {
  becomeCurrent()
  try {
    await carryOut.prepare(update)
  } catch (cause) {
    if (stopping.aborted) return
    await records.end(update, 'failed', `The database could not be copied: ${wordsFor(cause)}`)
  }
}

function createBackOff(signal: AbortSignal) {
  let failures = 0
  return {
    reset: () => (failures = 0),
    rest: async () => {
      failures += 1
      await sleep(backoffMs(failures, REST), undefined, { signal }).catch(() => undefined)
    },
  }
}

function wordsFor(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Keeps one server running, and carries out an update that the server left in its record. */
export function createSupervisor(deps: Deps) {
  const { dataDir, layout, records, carryOut, working, tuning, say, stopping } = deps
  let running: ServerChild | undefined
  const backOff = createBackOff(stopping)
  stopping.addEventListener('abort', () => void running?.stop())

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      try {
        const update = await records.newest()
        if (update && isWithSupervisor(update)) await carryOn(update)
        else await serve(layout.current())
      } catch (cause) {
        if (stopping.aborted) return
        working.release()
        say(`This failed and is retried: ${wordsFor(cause)}`)
        await running?.stop()
        await backOff.rest()
      }
    }
  }

  async function serve(version: string): Promise<void> {
    working.release()
    await withDataLock(dataDir, stopping, async () => undefined)
    if (!stopping.aborted) await ended((running = deps.start(version, 'normal')), version)
  }

  async function carryOn(update: UpdateRecord): Promise<void> {
    await working.take()
    if (update.phase === 'switching') return await prepare(update, deps)
    if (update.phase === 'returning') return await carryOut.goBack(update)
    const begun = await carryOut.begin(update)
    if (begun && !stopping.aborted) await tryOut(begun)
  }

  async function tryOut(update: UpdateRecord): Promise<void> {
    const server = (running = deps.start(update.to, update.keepsData ? 'normal' : 'checked'))
    const onListening = async () =>
      await records.say(update.id, `Berth ${update.to} answers; watching it for ${tuning.updateWatchMs / 1000} s.`)
    const reason = await watchServer(server, update, { tuning, onListening })
    if (stopping.aborted) return await server.stop() // the next start watches it again
    if (reason !== undefined) {
      await carryOut.giveUp(update, reason)
      return await server.stop()
    }
    await carryOut.succeed(update)
    working.release()
    server.send({ type: 'update_over' })
    await ended(server, update.to)
  }

  async function ended(server: ServerChild, version: string): Promise<void> {
    const how = await server.exited
    if (stopping.aborted) return
    const update = await records.newest()
    if (update && isWithSupervisor(update)) return // it ended for that
    if (server.upMs() > STABLE_MS) backOff.reset()
    say(`Berth ${version} is not running: ${how}. It is started again.`)
    await backOff.rest()
  }

  return { run }
}
