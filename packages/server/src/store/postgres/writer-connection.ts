import type pg from 'pg'
import { DatabaseLost } from '../database-lost.ts'
import type { NodeIdentity } from '../presence.ts'
import { connect } from './connection.ts'
import type { WriterConnection } from './driver.ts'
import { AnotherBerth, own } from './ownership.ts'

type Options = {
  patienceMs: number
  node?: NodeIdentity | undefined
  /** May refuse a connection that has its locks. */
  check?: (client: pg.Client) => Promise<void>
}

/** Connects when it is needed, and again after the connection broke. */
export function createWriterConnection(url: string, { patienceMs, node, check }: Options): WriterConnection {
  let client: pg.Client | undefined
  let connecting: Promise<pg.Client> | undefined

  function discard(): void {
    client?.end().catch(() => undefined)
    client = undefined
  }

  /** One connection for all who ask meanwhile: two of them would compete for the locks. */
  async function take(): Promise<pg.Client> {
    if (client) return client
    connecting ??= connectAndOwn().finally(() => (connecting = undefined))
    return await connecting
  }

  async function connectAndOwn(): Promise<pg.Client> {
    const fresh = await connect(url)
    try {
      await own(fresh, node, { patienceMs })
      await check?.(fresh)
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
