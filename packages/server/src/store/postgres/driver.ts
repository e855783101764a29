import { type DatabaseConnection, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector } from 'kysely'
import type pg from 'pg'
import { DatabaseLost } from '../database-lost.ts'
import { PostgresCompiler } from './compiler.ts'
import { isLost } from './connection.ts'
import { withNotice } from './listener.ts'
import { runQuery } from './run-query.ts'
import { createTurns } from './turns.ts'

/** Held by a transaction that writes: like SQLite, all processes together have one writer at a time (docs/decisions/0015). */
const BEGIN = 'begin; select pg_advisory_xact_lock(1650815604, 1)'

/** Longer than any statement of ours takes on a server that answers. */
const STUCK_AFTER_MS = 10_000

/** Called after each answer, and each time that there is none. */
export type Watch = { answered: () => void; lost: () => void }
type Ask = <Result>(statement: () => Promise<Result>) => Promise<Result>
type Listeners = Watch & { onChange?: () => void; ask?: Ask }

function createConnection(client: pg.ClientBase, listeners: Listeners): DatabaseConnection {
  const { answered, lost, onChange, ask = async (statement) => await statement() } = listeners
  return {
    async executeQuery(query) {
      try {
        const { hasChanged, ...result } = await ask(async () => await runQuery<never>(client, query))
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

type WriterListeners = Watch & {
  onCommit?: () => void
  /** Whether the server did not answer the last write: then a new one fails at once instead of waiting. */
  refusesWrites?: () => boolean
  /** The node whose changes the others are notified of. */
  sender?: string | undefined
}

/** One connection with one user at a time: a transaction holds it until it ends. */
export function writerDialect(writer: WriterConnection, listeners: WriterListeners): Dialect {
  const { answered, onCommit, sender } = listeners
  const turns = createTurns({ stuckAfterMs: STUCK_AFTER_MS, onStuck: lost })
  let release: () => void = () => undefined
  let client: pg.Client | undefined
  let hasChanged = false

  async function send(text: string): Promise<string | undefined> {
    try {
      const results = await turns.ask(async () => await client?.query(text))
      const all = [results].flat() // several statements have several results
      return all.at(-1)?.command
    } catch (cause) {
      if (!isLost(cause)) throw cause
      lost()
      throw new DatabaseLost(cause)
    }
  }

  function refuseIfAway(): void {
    if (listeners.refusesWrites?.() === true) throw new DatabaseLost('the last write got no answer')
  }

  /** The state of the connection is unknown, so it is not used again. The server rolls back what was open on it. */
  function lost(): void {
    writer.discard()
    listeners.lost()
  }

  return dialect(() => ({
    init: async () => undefined,
    async acquireConnection() {
      refuseIfAway()
      const leave = await turns.take()
      try {
        refuseIfAway()
        client = await turns.ask(async () => await writer.take())
      } catch (cause) {
        leave()
        if (cause instanceof DatabaseLost) listeners.lost()
        throw cause
      }
      release = leave
      return createConnection(client, { answered, lost, ask: turns.ask, onChange: () => (hasChanged = true) })
    },
    async beginTransaction() {
      hasChanged = false
      await send(BEGIN).catch((cause: unknown) => {
        writer.discard()
        throw cause
      })
    },
    async commitTransaction() {
      // After a statement that failed PostgreSQL answers a commit with a rollback, and calls that a success.
      const commit = hasChanged && sender !== undefined ? withNotice('commit', sender) : 'commit'
      if ((await send(commit)) !== 'COMMIT') throw new Error('the transaction was rolled back, because a statement in it had failed')
      if (hasChanged) onCommit?.()
    },
    async rollbackTransaction() {
      await send('rollback').catch(() => writer.discard())
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
      const client = await connectTo(pool, watch)
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

async function connectTo(pool: pg.Pool, { lost }: Watch): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    lost()
    throw new DatabaseLost(cause)
  }
}
