import type { ClientBase } from 'pg'
import { listed, quoted, ROWS_AT_ONCE, type Source, type Tables, type Target } from './side.ts'
import type { Row, Value } from './table-sum.ts'

async function tablesOf(client: ClientBase): Promise<Tables> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
       join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
      where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
      order by c.table_name collate "C", c.column_name collate "C"`,
  )
  const tables = new Map<string, string[]>()
  for (const { table, column } of rows) tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

async function* rowsOf(client: ClientBase, table: string, columns: readonly string[]): AsyncGenerator<readonly Row[]> {
  await client.query(`declare berth_copy no scroll cursor for select ${listed(columns)} from ${quoted(table)}`)
  try {
    for (;;) {
      const { rows } = await client.query<Value[]>({ text: `fetch ${ROWS_AT_ONCE} from berth_copy`, rowMode: 'array' })
      if (rows.length > 0) yield rows
      if (rows.length < ROWS_AT_ONCE) return
    }
  } finally {
    await client.query('close berth_copy')
  }
}

/** The tables that give ids, and the sequences they take them from. */
async function sequencesOf(client: ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ table: string; sequence: string }>(
    `select table_name as table, pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
       from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`,
  )
  return new Map(rows.map(({ table, sequence }) => [table, sequence]))
}

/**
 * Within a transaction of the caller, which sees one state of the database. Tables that are not among the known ones are not ours, such as
 * those of an extension.
 */
export function postgresSource(client: ClientBase, known?: Tables): Source {
  return {
    tables: async () => new Map([...(await tablesOf(client))].filter(([table]) => known?.has(table) !== false)),
    rows: (table, columns) => rowsOf(client, table, columns),
    async lastIds() {
      const ids = new Map<string, number>()
      for (const [table, sequence] of await sequencesOf(client)) {
        const { rows } = await client.query<{ id: number }>(
          `select case when is_called then last_value else last_value - 1 end as id from ${sequence}`,
        )
        const id = rows[0]?.id ?? 0
        if (id > 0) ids.set(table, id)
      }
      return ids
    },
  }
}

/** Tables without rows and without references between them; `finish` puts the references back, and checks them. */
export async function postgresTarget(client: ClientBase): Promise<Target & { finish: () => Promise<void> }> {
  const tables = [...(await tablesOf(client)).keys()]
  await client.query(`truncate ${listed(tables)}`)
  const references = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )
  for (const { table, name } of references.rows) await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
  return {
    ...postgresSource(client),
    async insert(table, columns, rows) {
      const places = rows.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(', ')})`)
      const values = rows.flat().map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
      await client.query(`insert into ${quoted(table)} (${listed(columns)}) values ${places.join(', ')}`, values)
    },
    async setLastIds(ids) {
      for (const [table, sequence] of await sequencesOf(client)) {
        const id = ids.get(table) ?? 0
        await client.query('select setval($1::regclass, $2, $3)', [sequence, Math.max(1, id), id > 0])
      }
    },
    async finish() {
      for (const { table, name, definition } of references.rows)
        await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
    },
  }
}
