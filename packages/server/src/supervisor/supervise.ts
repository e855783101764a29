import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../lib/retry.ts'
import type { Tuning } from '../lib/tuning.ts'
import type { CarryOut } from './carry-out.ts'
import { withDataLock } from './data-lock.ts'
import type { Layout } from './layout.ts'
import { createLoadedServer, type LoadedServer } from './loaded-server.ts'
import type { Asked, Begins, ServerChild, Wanted } from './server-child.ts'
import { isWithSupervisor, type UpdateRecord, wantedBy } from './update-record.ts'
import type { UpdateRecords } from './update-records.ts'
import { watchServer } from './watch.ts'
import type { WorkingLock } from './working-lock.ts'

type Deps = {
  dataDir: string
  layout: Layout
  records: UpdateRecords
  carryOut: CarryOut
  working: WorkingLock
  start: (wanted: Wanted, begins: Begins, asked: Asked) => ServerChild
  /** Whether the release that `current` leads to has the same supervisor as this one. */
  isCurrent: () => boolean
  /** Becomes that one if it is another. It does not return then. */
  becomeCurrent: () => void
  tuning: Tuning
  say: (text: string) => void
  stopping: AbortSignal
}

const REST = { firstMs: 500, longestMs: 30_000 }
const STABLE_MS = 60_000

/** Before `current` leads to the new version, what does not work ends the update. */
async function prepare(update: UpdateRecord, deps: Deps, next: LoadedServer): Promise<void> {
  const { becomeCurrent, carryOut, records, stopping } = deps
  becomeCurrent()
  if (!stopping.aborted) void next.load(wantedBy(update)) // beside the copying, if it was not loaded before
  try {
    await carryOut.prepare(update)
  } catch (cause) {
    if (stopping.aborted) return
    await records.end(update, 'failed', `The database could not be copied: ${wordsFor(cause)}`)
  }
}

/** How servers are started; `next` is the one that a running server has loaded before it leaves. */
function createServers(deps: Pick<Deps, 'start' | 'isCurrent' | 'stopping'>) {
  const next = createLoadedServer((wanted) => start(wanted, 'told'))
  deps.stopping.addEventListener('abort', next.forget)

  /** A supervisor that has to become another one first would lose what it loads. */
  function start(wanted: Wanted, begins: Begins = 'now'): ServerChild {
    const onLoad = async (its: Wanted) => {
      if (deps.isCurrent()) await next.load(its)
      server.send({ type: 'next_loaded' })
    }
    const server = deps.start(wanted, begins, { onLoad: (its) => void onLoad(its), onForget: next.forget })
    return server
  }

  return { start, next }
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

function answersWords({ to }: UpdateRecord, { updateWatchMs }: Tuning): string {
  return `Berth ${to} answers; watching it for ${updateWatchMs / 1000} s.`
}

function wordsFor(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Keeps one server running, and carries out an update that the server left in its record. */
export function createSupervisor(deps: Deps) {
  const { dataDir, layout, records, carryOut, working, tuning, say, stopping } = deps
  let running: ServerChild | undefined
  const backOff = createBackOff(stopping)
  const { start, next } = createServers(deps)
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
    next.forget()
    await withDataLock(dataDir, stopping, async () => undefined)
    if (!stopping.aborted) await ended((running = start({ version, mode: 'normal' })), version)
  }

  async function carryOn(update: UpdateRecord): Promise<void> {
    await working.take()
    if (update.phase === 'switching') return await prepare(update, deps, next)
    if (update.phase === 'returning') return await carryOut.goBack(update)
    const begun = await carryOut.begin(update)
    if (begun && !stopping.aborted) await tryOut(begun)
  }

  async function tryOut(update: UpdateRecord): Promise<void> {
    const server = (running = (await next.take(wantedBy(update))) ?? start(wantedBy(update)))
    if (stopping.aborted) return await server.stop()
    const onListening = async () => await records.say(update.id, answersWords(update, tuning))
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
