import { type CompiledQuery, Kysely, sql } from 'kysely'
import pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import type { Database, Db } from '../database.ts'
import { DatabaseLost } from '../database-lost.ts'
import { migrations } from '../migrations/index.ts'
import { joinNodes, type NodeIdentity } from '../presence.ts'
import type { Schema } from '../schema.ts'
import { connect, connectionOptions, isLost } from './connection.ts'
import { readerDialect, type WriterConnection, writerDialect } from './driver.ts'
import { createListener } from './listener.ts'
import { migrate } from './migrate.ts'
import { DatabaseTaken, refuseOtherVersion, refuseRunningName, refuseWhileOthersRun } from './ownership.ts'
import { createWatch } from './watch.ts'
import { createWriterConnection } from './writer-connection.ts'

const READERS = 10
const OLDEST_SERVER = 14
/** How long the server may take to notice that the previous holder of the database is gone. */
const LOCK_WAIT_MS = 30_000

/** Only after a write got no answer: a server that answers may still have no space to write. */
const WRITE_PROBE = `insert into fact (name, value) values ('write_probe', now()::text) on conflict (name) do update set value = excluded.value`

type Options = {
  url: string
  now: () => Date
  onCommit: () => void
  onBack?: () => void
  /** Undefined: this Berth is the only one on the database. */
  node?: NodeIdentity | undefined
  /** Another node may have changed something. */
  onForeignCommit?: (() => void) | undefined
}

/** Says what is wrong with the server, without the URL, which has a password in it. Other errors stay as they are. */
export function refusal(cause: unknown): unknown {
  if (cause instanceof StartRefused) return cause
  if (cause instanceof DatabaseTaken)
    return new StartRefused(
      `The database of BERTH_DATABASE_URL cannot be used: ${String(cause.cause)}. Stop it first, or use another database.`,
      { cause },
    )
  if (!isLost(cause) && !(cause instanceof pg.DatabaseError)) return cause
  const reason = cause instanceof DatabaseLost ? cause.cause : cause
  const words = reason instanceof Error ? reason.message || String(reason) : String(reason)
  return new StartRefused(`The database of BERTH_DATABASE_URL cannot be used: ${words}.`, { cause })
}

export async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const { version = 0, encoding = '' } = rows[0] ?? {}
  if (version < OLDEST_SERVER * 10_000)
    throw new StartRefused(`The database of BERTH_DATABASE_URL is too old: PostgreSQL ${OLDEST_SERVER} or newer is needed.`)
  if (encoding !== 'UTF8')
    throw new StartRefused(
      `The database of BERTH_DATABASE_URL has the encoding ${encoding}, and it must be UTF8: create it with "encoding 'UTF8'".`,
    )
}

/** Runs on a connection of its own that may take its time. */
export async function withConnection<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  try {
    const client = await connect(url, { isPatient: true })
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => undefined)
    }
  } catch (cause) {
    throw refusal(cause)
  }
}

/** The database on a PostgreSQL server: one connection that writes, and a pool of those that read. */
export async function openPostgres(options: Options): Promise<Database> {
  const { url, now, node } = options
  let isMigrated = false
  const check = async (client: pg.Client) => {
    if (isMigrated) await refuseOtherVersion(client, migrations.at(-1)?.version ?? 0)
  }
  const connection = createWriterConnection(url, { waitMs: LOCK_WAIT_MS, node, check })
  try {
    await withConnection(url, async (client) => {
      await checkServer(client)
      if (node) await refuseRunningName(client, node)
    })
    await connection.take()
    const refuse = async (client: pg.Client) => (node ? await refuseWhileOthersRun(client) : undefined)
    await withConnection(url, async (client) => await migrate(client, { migrations, now, refuse }))
    isMigrated = true
  } catch (cause) {
    connection.discard()
    throw refusal(cause)
  }
  const database = openMigrated(options, connection)
  try {
    if (node) await database.db.transaction(async (tx) => await joinNodes(tx, node))
    return database
  } catch (cause) {
    await database.close()
    throw refusal(cause)
  }
}

/** A connection that gives no answer is not asked again. */
async function probeWrites(connection: WriterConnection): Promise<void> {
  const client = await connection.take()
  try {
    await client.query(WRITE_PROBE)
  } catch (cause) {
    if (isLost(cause)) connection.discard()
    throw cause
  }
}

function openMigrated({ url, onCommit, onBack, node, onForeignCommit }: Options, connection: WriterConnection): Database {
  const pool = new pg.Pool({ ...connectionOptions(url), max: READERS })
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined)) // the next query says it
  const watch = createWatch({
    read: async () => {
      const { rows } = await sql<{ isReadOnly: number }>`select current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(
        reader,
      )
      return { isReadOnly: rows[0]?.isReadOnly === 1 }
    },
    write: async () => await probeWrites(connection),
    onBack: () => onBack?.(),
  })
  const reader = new Kysely<Schema>({ dialect: readerDialect(pool, watch.reads) })
  const writer = new Kysely<Schema>({ dialect: writerDialect(connection, { ...watch.writes, onCommit, sender: node?.bootId }) })
  const listener = node && createListener(url, { self: node.bootId, onChange: () => onForeignCommit?.() })
  const db: Db = {
    selectFrom: reader.selectFrom.bind(reader),
    executeQuery: reader.executeQuery.bind(reader),
    getExecutor: reader.getExecutor.bind(reader),
    fn: reader.fn,
    // Not cached: another process may have changed the rows, and a session that was ended elsewhere must end here too.
    cachedRead: async <Row>(query: CompiledQuery<Row>, key: string | number) =>
      (await reader.executeQuery<Row>({ ...query, parameters: [key] })).rows,
    transaction: async (work) => await writer.transaction().execute(work),
  }

  async function close(): Promise<void> {
    await listener?.close()
    await writer.destroy()
    connection.discard()
    await reader.destroy()
    if (!pool.ended) await pool.end() // Kysely does not end a pool that was never used
  }

  return { db, state: watch.state, keepReserve: () => undefined, close }
}
