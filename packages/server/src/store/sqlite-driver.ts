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
import { createSemaphore } from '../lib/semaphore.ts'

const KEPT_STATEMENTS = 500
const FOREIGN_LOOK_MS = 100
/** Of each query: enough for the people who look at the dashboard now, and a few megabytes at the very most. */
const KEPT_ANSWERS = 20
const MOST_KEPT_ROWS = 500

/** Keeps statements prepared: SQLite's own parsing would cost more than most of our queries. */
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

type Known = { statement: Statement<unknown[], unknown>; answers: Map<unknown, readonly unknown[]>; version: number }

/**
 * Says which state of the database a read would see. Our own commits count at once; those of another process, which only
 * somebody at the machine could run beside us, are looked for a few times a second.
 */
function createVersion(file: SqliteFile, commits: () => number): () => number {
  const foreign = file.prepare<[], number>('pragma data_version').pluck()
  let lookedAt = 0
  let seen: number | undefined
  let commitsSeen = -1
  let version = 0
  return () => {
    const now = performance.now()
    if (commits() === commitsSeen && now - lookedAt < FOREIGN_LOOK_MS) return version
    const found = foreign.get()
    if (found !== seen || commits() !== commitsSeen) version += 1
    seen = found
    commitsSeen = commits()
    lookedAt = now
    return version
  }
}

/**
 * Runs queries that are compiled already, straight on the file. Answers are kept until something is committed: reading a
 * list again would take a hundred times as long. The rows are shared between callers, so nobody may change them.
 */
export function createCompiledReads(file: SqliteFile, commits: () => number) {
  const versionNow = createVersion(file, commits)
  const queries = new Map<string, Known>()

  function knownOf(sql: string): Known {
    let known = queries.get(sql)
    if (known === undefined) {
      known = { statement: file.prepare<unknown[], unknown>(sql), answers: new Map(), version: 0 }
      if (queries.size >= KEPT_STATEMENTS) queries.clear()
      queries.set(sql, known)
    }
    return known
  }

  function answerBy(known: Known, parameter: unknown): readonly unknown[] {
    const version = versionNow()
    if (known.version !== version) {
      known.answers.clear()
      known.version = version
    }
    const kept = known.answers.get(parameter)
    if (kept) return kept
    const rows = known.statement.all(parameter)
    if (rows.length <= MOST_KEPT_ROWS && known.answers.size < KEPT_ANSWERS) known.answers.set(parameter, rows)
    return rows
  }

  return async <Row>(compiled: CompiledQuery<Row> | Compilable<Row>): Promise<QueryResult<Row>> => {
    const { sql, parameters } = 'compile' in compiled ? compiled.compile() : compiled
    const known = knownOf(sql)
    const rows = parameters.length === 1 ? answerBy(known, parameters[0]) : known.statement.all(...parameters)
    return { rows: rows as Row[] } // Kysely typed the query when it was built
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

/** One connection, handed to one borrower at a time: a transaction holds it until it ends. */
function createWriterDriver(file: SqliteFile, { onChange, onEnd }: Listeners): Driver {
  const connection = createConnection(file)
  const totalChanges = file.prepare<[], number>('select total_changes()').pluck()
  let changesBefore: number | undefined
  const oneAtATime = createSemaphore(1)
  let release: () => void = () => undefined
  return {
    init: async () => undefined,
    async acquireConnection() {
      release = await oneAtATime.acquire()
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
