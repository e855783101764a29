import { type Expression, type Kysely, PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/** Everything that SQLite and PostgreSQL say differently, so that no query or migration needs to know which one it is for. */

export type Dialect = 'sqlite' | 'postgres'
type Handle = { getExecutor(): { readonly adapter: unknown } }

export function dialectOf(db: Handle): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
}

/** A whole number in a column that holds an object as JSON. */
export function jsonNumber(db: Handle, column: string, field: string): RawBuilder<number> {
  const name = sql.ref(column)
  return dialectOf(db) === 'postgres'
    ? sql<number>`cast(cast(${name} as jsonb) ->> ${sql.lit(field)} as bigint)`
    : sql<number>`json_extract(${name}, ${sql.lit(`$.${field}`)})`
}

/** Whether an object that a column holds as JSON has this field, and not null in it. */
export function hasField(db: Handle, column: string, field: string): RawBuilder<boolean> {
  const name = sql.ref(column)
  return dialectOf(db) === 'postgres'
    ? sql<boolean>`cast(${name} as jsonb) ->> ${sql.lit(field)} is not null`
    : sql<boolean>`json_extract(${name}, ${sql.lit(`$.${field}`)}) is not null`
}

/** The rows of a list of [number, text] that is given as JSON, so that one statement serves lists of any length. */
export function listedPairs(db: Handle, list: Expression<string>): RawBuilder<unknown> {
  return dialectOf(db) === 'postgres'
    ? sql`(select cast(value ->> 0 as bigint), value ->> 1 from jsonb_array_elements(cast(${list} as jsonb)) as listed (value))`
    : sql`(select value ->> 0, value ->> 1 from json_each(${list}))`
}

/** Whether a text contains another one, in capital or small letters. */
export function contains(db: Handle, column: Expression<unknown>, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const like = sql.raw(dialectOf(db) === 'postgres' ? 'ilike' : 'like')
  return sql<boolean>`${column} ${like} ${pattern} escape '\\'`
}

/** A unique index of one column, together with others, that takes capital and small letters for the same. The column has `nocase`. */
export async function uniqueNoCase(db: Kysely<unknown>, index: { name: string; table: string; columns: string[]; noCase: string }) {
  const { name, table, columns, noCase } = index
  const all = db.schema.createIndex(name).on(table).columns(columns).unique()
  await (dialectOf(db) === 'postgres' ? all.expression(sql`lower(${sql.ref(noCase)})`) : all.column(noCase)).execute()
}

/** For a column that SQLite compares without regard to capital letters. */
export function noCase(db: Handle): RawBuilder<unknown> {
  return dialectOf(db) === 'postgres' ? sql`` : sql`collate nocase`
}

/** A trigger that runs one statement for each row that was deleted, which it calls `old`. */
export async function afterDelete(db: QueryExecutorProvider, trigger: { name: string; table: string; statement: string }): Promise<void> {
  const { table, statement } = trigger
  const name = sql.ref(trigger.name)
  if (dialectOf(db) === 'sqlite') {
    await sql`create trigger ${name} after delete on ${sql.table(table)} begin ${sql.raw(statement)}; end`.execute(db)
    return
  }
  await sql`create function ${name}() returns trigger language plpgsql as ${sql.lit(`begin ${statement}; return null; end`)}`.execute(db)
  await sql`create trigger ${name} after delete on ${sql.table(table)} for each row execute function ${name}()`.execute(db)
}

/** The time by the clock of the database, which all processes share; written like every other time. */
export function databaseTime(db: Handle): RawBuilder<string> {
  return dialectOf(db) === 'postgres'
    ? sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
}

/** Where a row is, whatever its key is. In PostgreSQL a row that is updated moves. */
export function rowAddress(db: Handle): RawBuilder<string | number> {
  return sql.raw(dialectOf(db) === 'postgres' ? 'ctid' : 'rowid')
}

/** The columns of all tables whose names are like this, as `table.column`. */
export async function columnsLike(db: QueryExecutorProvider, pattern: string): Promise<string[]> {
  const query =
    dialectOf(db) === 'postgres'
      ? sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
          where table_schema = current_schema() and column_name like ${pattern}`
      : sql<{ name: string }>`select t.name || '.' || c.name as name from sqlite_master t join pragma_table_info(t.name) c
          where t.type = 'table' and c.name like ${pattern}`
  return (await query.execute(db)).rows.map(({ name }) => name)
}
