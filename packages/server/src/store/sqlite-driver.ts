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

const KEPT_STATEMENTS = 500
const KEPT_ANSWERS = 20
const FEWEST_KEPT_ROWS = 5
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

/**
 * Runs queries that are compiled already, straight on the file. Rows of a long answer are kept until something is
 * committed: SQLite says in a microsecond whether anything was, and reading 50 rows again would take a hundred.
 */
export function createCompiledReads(file: SqliteFile) {
  const statementFor = createStatements(file)
  const versionNow = file.prepare<[], number>('pragma data_version').pluck()
  const kept = new Map<string, readonly unknown[]>()
  let keptAt: number | undefined

  function forgetIfChanged(): void {
    const version = versionNow.get()
    if (version === keptAt) return
    kept.clear()
    keptAt = version
  }

  return async <Row>(compiled: CompiledQuery<Row> | Compilable<Row>): Promise<QueryResult<Row>> => {
    const query = 'compile' in compiled ? compiled.compile() : compiled
    const statement = statementFor(query.sql)
    const key = keyOf(query)
    if (key === undefined) return { rows: statement.all(...query.parameters) as Row[] } // Kysely typed the query when it was built
    forgetIfChanged()
    const known = kept.get(key)
    if (known) return { rows: known as Row[] } // the same query gave them
    const rows = statement.all(...query.parameters) as Row[] // as above
    if (rows.length >= FEWEST_KEPT_ROWS && rows.length <= MOST_KEPT_ROWS && kept.size < KEPT_ANSWERS) kept.set(key, rows)
    return { rows }
  }
}

/** Lists are asked for by one id; what is asked for by anything else is one row and cheaper to read than to keep. */
function keyOf({ sql, parameters }: CompiledQuery): string | undefined {
  const [id] = parameters
  return parameters.length === 1 && typeof id === 'number' ? `${id} ${sql}` : undefined
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

/** One connection, handed to one borrower at a time: a transaction holds it until it ends. */
function createWriterDriver(file: SqliteFile): Driver {
  const connection = createConnection(file)
  let turn: Promise<void> = Promise.resolve()
  let endTurn: () => void = () => undefined
  return {
    init: async () => undefined,
    async acquireConnection() {
      const previous = turn
      const mine = Promise.withResolvers<void>()
      turn = mine.promise
      await previous
      endTurn = mine.resolve
      return connection
    },
    async beginTransaction() {
      file.exec('begin immediate')
    },
    async commitTransaction() {
      file.exec('commit')
    },
    async rollbackTransaction() {
      if (file.inTransaction) file.exec('rollback')
    },
    async releaseConnection() {
      endTurn()
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

export function writerDialect(file: SqliteFile): Dialect {
  return dialect(() => createWriterDriver(file))
}

export function readerDialect(file: SqliteFile): Dialect {
  return dialect(() => createReaderDriver(file))
}
