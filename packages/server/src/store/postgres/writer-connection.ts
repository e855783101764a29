import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseLost } from '../database-lost.ts'
import { connect } from './connection.ts'
import type { WriterConnection } from './driver.ts'

const LOOK_AGAIN_MS = 200

export class AnotherBerth extends DatabaseLost {}

/**
 * Held as long as the connection lives, so that only the Berth that holds it writes: this version knows one Berth for each database. The
 * server frees it when it notices that its holder is gone, which can take a moment.
 */
async function own(client: pg.Client, patienceMs: number): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const { rows } = await client.query<{ isOurs: number }>('select pg_try_advisory_lock(1650815604, 2) as "isOurs"')
    if (rows[0]?.isOurs === 1) return
    if (performance.now() > giveUpAt) throw new AnotherBerth('another Berth is using it')
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Connects when it is needed, and again after the connection broke. */
export function createWriterConnection(url: string, { patienceMs }: { patienceMs: number }): WriterConnection {
  let client: pg.Client | undefined

  function discard(): void {
    client?.end().catch(() => undefined)
    client = undefined
  }

  async function take(): Promise<pg.Client> {
    if (client) return client
    const fresh = await connect(url)
    try {
      await own(fresh, patienceMs)
    } catch (cause) {
      fresh.end().catch(() => undefined)
      throw cause instanceof AnotherBerth ? cause : new DatabaseLost(cause)
    }
    const forget = () => {
      if (client === fresh) client = undefined
    }
    fresh.on('error', forget).on('end', forget)
    client = fresh
    return fresh
  }

  return { take, discard }
}
