import { setTimeout as sleep } from 'node:timers/promises'
import { createSend } from './send.ts'
import { type DueStatus, listDueStatuses, settleUnsent } from './store.ts'
import { stateOf } from './words.ts'

type Deps = Parameters<typeof createSend>[0] & { everyMs: number }

const TURNS_AT_ONCE = 32
const MOST_OF_TURN = 20
const TURN_MS = 10_000
/** One may begin with a TLS handshake, and several at once would hold up requests. */
const TURNS_APART_MS = 50

/**
 * Tells git hosts how deployments of their commits go. Deployments never wait for it: they leave a row, and this goes through them. People
 * have turns of their own, however many accounts they have added, so that a slow host holds up nobody else's.
 */
export function createCommitStatuses(deps: Deps) {
  const { db, now } = deps
  const send = createSend(deps)
  const turns = new Map<number, Promise<void>>()

  /** Until the signal says stop; then nothing of it is left. */
  async function keepSending(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await beginTurns(signal)
        await sleep(deps.everyMs, undefined, { signal }).catch(() => undefined)
      }
    } finally {
      await Promise.all(turns.values())
    }
  }

  async function beginTurns(signal: AbortSignal): Promise<void> {
    const due = await listDueStatuses(db, { now: now(), mostOfPerson: MOST_OF_TURN, besides: [...turns.keys()] })
    const settled = due.filter((row) => !isNews(row))
    if (settled.length > 0) await db.transaction(async (tx) => await settleUnsent(tx, settled))
    for (const [person, rows] of Map.groupBy(due.filter(isNews), (row) => row.person)) {
      if (turns.size >= TURNS_AT_ONCE || signal.aborted) return
      const turn = sendInOrder(rows, signal)
        .catch((err: unknown) => (signal.aborted ? undefined : deps.log.warn({ person, err }, 'a commit status could not be sent')))
        .finally(() => turns.delete(person))
      turns.set(person, turn)
      await sleep(TURNS_APART_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  /** One after the other: of two states of a deployment the newer one must come last. */
  async function sendInOrder(rows: readonly DueStatus[], signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)])
    const away = new Set<number>()
    for (const row of rows) {
      if (limit.aborted) return
      if (!away.has(row.account_id) && !(await send(row, { limit, stopping: signal }))) away.add(row.account_id)
    }
  }

  return { keepSending }
}

/** A deployment that was replaced before anything was reported is not reported at all, so ten pushes in a row cause one report. */
function isNews({ status, sent }: DueStatus): boolean {
  const state = stateOf(status)
  return state !== undefined && state !== sent && !(state === 'cancelled' && sent === '')
}
