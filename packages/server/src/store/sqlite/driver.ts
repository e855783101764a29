import type { Database as SqliteFile, Statement } from 'better-sqlite3'
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createSemaphore } from '../../lib/semaphore.ts'
import { createYieldTurn } from '../../lib/yield-turn.ts'
import type { Reader } from '../database.ts'

const KEPT_STATEMENTS = 500
const WRITES_IN_A_TURN_MS = 2

/** Caches prepared statements: parsing would cost more than most of our queries. */
function createStatements(file: SqliteFile): (sql: string) => Statement<unknown[], unknown> {
  const statements = new Map<string, Statement<unknown[], unknown>>()
  return (sql) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = file.prepare<unknown[], unknown>(sql)
    if (statements.size >= KEPT_STATEMENTS) statements.clear()
    statements.set(sql, statement)
    return statement
  }
}

/** Runs compiled queries directly, without Kysely's overhead. */
export function createCompiledReads(file: SqliteFile): Reader['executeQuery'] {
  const statementFor = createStatements(file)
  return async <Row>(compiled: CompiledQuery<Row> | Compilable<Row>): Promise<QueryResult<Row>> => {
    const { sql, parameters } = 'compile' in compiled ? compiled.compile() : compiled
    return { rows: statementFor(sql).all(...parameters) as Row[] } // Kysely typed the query when it was built
  }
}

function createConnection(file: SqliteFile): DatabaseConnection {
  const statementFor = createStatements(file)
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const statement = statementFor(query.sql)
      if (statement.reader) return { rows: statement.all(...query.parameters) as Row[] } // Kysely typed the query when it was built
      const { changes, lastInsertRowid } = statement.run(...query.parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    // eslint-disable-next-line require-yield -- the interface asks for it, and nothing of ours streams rows
    async *streamQuery() {
      throw new Error('rows are not streamed')
    },
  }
}

type Listeners = {
  /** A commit that changed something. */
  onChange?: () => void
  /** The end of a transaction, however it ended, before the next one begins. */
  onEnd?: () => void
}

/** One connection with one user at a time: a transaction holds it until it ends. */
function createWriterDriver(file: SqliteFile, { onChange, onEnd }: Listeners): Driver {
  const connection = createConnection(file)
  const totalChanges = file.prepare<[], number>('select total_changes()').pluck()
  let changesBefore: number | undefined
  const oneAtATime = createSemaphore(1)
  const yieldTurn = createYieldTurn(WRITES_IN_A_TURN_MS) // the statements are synchronous calls, and writes follow writes
  let release: () => void = () => undefined
  return {
    init: async () => undefined,
    async acquireConnection() {
      release = await oneAtATime.acquire()
      await yieldTurn()
      return connection
    },
    async beginTransaction() {
      file.exec('begin immediate')
      changesBefore = totalChanges.get() // SQLite counts what is rolled back too, so each transaction counts from its own beginning
    },
    async commitTransaction() {
      const hasChanged = totalChanges.get() !== changesBefore
      file.exec('commit')
      if (hasChanged) onChange?.()
    },
    async rollbackTransaction() {
      if (file.inTransaction) file.exec('rollback')
    },
    async releaseConnection() {
      onEnd?.()
      release()
    },
    async destroy() {
      file.close()
    },
  }
}

/** Reads never wait: each is one synchronous call on a connection of its own. */
function createReaderDriver(file: SqliteFile): Driver {
  const connection = createConnection(file)
  const refuse = async () => {
    throw new Error('the reading connection has no transactions')
  }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => undefined,
    async destroy() {
      file.close()
    },
  }
}

function dialect(createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

export function writerDialect(file: SqliteFile, listeners: Listeners = {}): Dialect {
  return dialect(() => createWriterDriver(file, listeners))
}

export function readerDialect(file: SqliteFile): Dialect {
  return dialect(() => createReaderDriver(file))
}
