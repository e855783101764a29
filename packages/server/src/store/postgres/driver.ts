import { type DatabaseConnection, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector } from 'kysely'
import type pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { DatabaseLost } from '../database-lost.ts'
import { PostgresCompiler } from './compiler.ts'
import { isLost } from './connection.ts'
import { withNotice } from './listener.ts'
import { runQuery } from './run-query.ts'

/** Held by a transaction that writes: like SQLite, all processes together have one writer at a time (docs/decisions/0015). */
const BEGIN = 'begin; select pg_advisory_xact_lock(1650815604, 1)'

/** Told of every answer, and of every time that none came. */
export type Watch = { answered: () => void; lost: () => void }
type Listeners = Watch & { onChange?: () => void }

function createConnection(client: pg.ClientBase, { answered, lost, onChange }: Listeners): DatabaseConnection {
  return {
    async executeQuery(query) {
      try {
        const { hasChanged, ...result } = await runQuery<never>(client, query)
        answered()
        if (hasChanged) onChange?.()
        return result
      } catch (cause) {
        if (cause instanceof DatabaseLost) lost()
        throw cause
      }
    },
    // eslint-disable-next-line require-yield -- the interface asks for it, and nothing of ours streams rows
    async *streamQuery() {
      throw new Error('rows are not streamed')
    },
  }
}

function dialect(createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresCompiler(),
  }
}

/** The one connection that writes. `take` gives it, or a new one if it broke; `discard` ends it. */
export type WriterConnection = { take: () => Promise<pg.Client>; discard: () => void }

/** One connection with one user at a time: a transaction holds it until it ends. */
export function writerDialect(
  writer: WriterConnection,
  listeners: Watch & { onCommit?: () => void; sender?: string | undefined },
): Dialect {
  const { answered, onCommit, sender } = listeners
  const oneAtATime = createSemaphore(1)
  let release: () => void = () => undefined
  let client: pg.Client | undefined
  let hasChanged = false

  async function say(text: string): Promise<string | undefined> {
    try {
      const results: pg.QueryResult | pg.QueryResult[] | undefined = await client?.query(text)
      return (Array.isArray(results) ? results.at(-1) : results)?.command // several statements have several results
    } catch (cause) {
      if (!isLost(cause)) throw cause
      lost()
      throw new DatabaseLost(cause)
    }
  }

  /** Whatever state it is in, nobody else gets it. The server rolls back what was open on it. */
  function lost(): void {
    writer.discard()
    listeners.lost()
  }

  return dialect(() => ({
    init: async () => undefined,
    async acquireConnection() {
      const leave = await oneAtATime.acquire()
      try {
        client = await writer.take()
      } catch (cause) {
        leave()
        if (cause instanceof DatabaseLost) listeners.lost()
        throw cause
      }
      release = leave
      return createConnection(client, { answered, lost, onChange: () => (hasChanged = true) })
    },
    async beginTransaction() {
      hasChanged = false
      await say(BEGIN).catch((cause: unknown) => {
        writer.discard()
        throw cause
      })
    },
    async commitTransaction() {
      // After a statement that failed PostgreSQL answers a commit with a rollback, and calls that a success.
      const commit = hasChanged && sender !== undefined ? withNotice('commit', sender) : 'commit'
      if ((await say(commit)) !== 'COMMIT') throw new Error('the transaction was rolled back, because a statement in it had failed')
      if (hasChanged) onCommit?.()
    },
    async rollbackTransaction() {
      await say('rollback').catch(() => writer.discard())
    },
    releaseConnection: async () => release(),
    destroy: async () => writer.discard(),
  }))
}

/** Reads take any free connection of the pool. */
export function readerDialect(pool: pg.Pool, watch: Watch): Dialect {
  const clients = new WeakMap<DatabaseConnection, () => void>()
  const refuse = async () => {
    throw new Error('the reading connections have no transactions')
  }
  return dialect(() => ({
    init: async () => undefined,
    async acquireConnection() {
      const client = await connectedOf(pool, watch)
      let isBroken = false
      const lost = () => {
        isBroken = true
        watch.lost()
      }
      const connection = createConnection(client, { ...watch, lost })
      clients.set(connection, () => client.release(isBroken))
      return connection
    },
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async (connection) => clients.get(connection)?.(),
    destroy: async () => await pool.end(),
  }))
}

async function connectedOf(pool: pg.Pool, { lost }: Watch): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    lost()
    throw new DatabaseLost(cause)
  }
}
