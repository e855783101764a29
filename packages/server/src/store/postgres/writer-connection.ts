import type pg from 'pg'
import { DatabaseLost } from '../database-lost.ts'
import type { NodeIdentity } from '../presence.ts'
import { connect } from './connection.ts'
import type { WriterConnection } from './driver.ts'
import { DatabaseTaken, takeLocks } from './ownership.ts'

type Options = {
  /** How long to wait for the locks. */
  waitMs: number
  node?: NodeIdentity | undefined
  /** Called once the connection has its locks; may throw to refuse it. */
  check?: (client: pg.Client) => Promise<void>
}

/** Connects when it is needed, and again after the connection broke. */
export function createWriterConnection(url: string, { waitMs, node, check }: Options): WriterConnection {
  let client: pg.Client | undefined
  let connecting: Promise<pg.Client> | undefined

  function discard(): void {
    client?.end().catch(() => undefined)
    client = undefined
  }

  /** One connection for all who ask meanwhile: two of them would compete for the locks. */
  async function take(): Promise<pg.Client> {
    if (client) return client
    connecting ??= connectAndLock().finally(() => (connecting = undefined))
    return await connecting
  }

  async function connectAndLock(): Promise<pg.Client> {
    const fresh = await connect(url)
    try {
      await takeLocks(fresh, node, { waitMs })
      await check?.(fresh)
    } catch (cause) {
      fresh.end().catch(() => undefined)
      throw cause instanceof DatabaseTaken ? cause : new DatabaseLost(cause)
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
