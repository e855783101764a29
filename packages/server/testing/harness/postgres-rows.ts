import { execFileSync } from 'node:child_process'

/** What a statement with `?` finds in a PostgreSQL database, read through a connection of its own while the test waits, as from a file of SQLite. */
export function readPostgresRows<Row>(url: string, sql: string, ...values: (string | number)[]): Row[] {
  const rest = [...values]
  const query = sql.replaceAll('?', () => literal(rest.shift() ?? ''))
  const args = ['--no-psqlrc', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1']
  const out = execFileSync('psql', [...args, '--command', `select coalesce(json_agg(row), '[]') from (${query}) as row`, '--', url], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return JSON.parse(out) as Row[] // the caller writes the statement and its type side by side
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}
