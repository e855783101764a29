import type { Database as SqliteFile } from 'better-sqlite3'
import { listed, quoted, ROWS_AT_ONCE, type Source, type Tables, type Target } from './side.ts'
import type { Row } from './table-sum.ts'

/** More of them wait in memory only if a single row is larger. */
const MOST_BYTES = 4 * 1024 ** 2

function tablesOf(file: SqliteFile): Tables {
  const sql = `select t.name as "table", c.name as "column" from sqlite_master t join pragma_table_info(t.name) c
                where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.name`
  const tables = new Map<string, string[]>()
  for (const { table, column } of file.prepare<[], { table: string; column: string }>(sql).all())
    tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

function sizeOf(row: Row): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8), 0)
}

async function* rowsOf(file: SqliteFile, table: string, columns: readonly string[]): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let bytes = 0
  // `raw` gives the values in the order of the columns
  for (const row of file
    .prepare(`select ${listed(columns)} from ${quoted(table)}`)
    .raw()
    .iterate() as Iterable<Row>) {
    batch.push(row)
    bytes += sizeOf(row)
    if (batch.length < ROWS_AT_ONCE && bytes < MOST_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** Within a transaction of the caller. */
export function sqliteSource(file: SqliteFile): Source {
  return {
    tables: async () => tablesOf(file),
    rows: (table, columns) => rowsOf(file, table, columns),
    lastIds: async () => {
      const rows = file.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all()
      return new Map(rows.map(({ name, seq }) => [name, seq]))
    },
  }
}

/** Removes what the migrations put into the tables. */
export function sqliteTarget(file: SqliteFile): Target {
  for (const table of tablesOf(file).keys()) file.exec(`delete from ${quoted(table)}`)
  return {
    ...sqliteSource(file),
    async insert(table, columns, rows) {
      const statement = file.prepare(`insert into ${quoted(table)} (${listed(columns)}) values (${columns.map(() => '?').join(', ')})`)
      for (const row of rows) statement.run(...row)
    },
    async setLastIds(ids) {
      file.exec('delete from sqlite_sequence')
      const statement = file.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
      for (const [table, id] of ids) statement.run(table, id)
    },
  }
}
