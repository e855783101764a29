import type { CompiledQuery, QueryResult } from 'kysely'
import type { ClientBase } from 'pg'
import { DatabaseLost } from '../database-lost.ts'
import { isLost } from './connection.ts'

const KEPT_STATEMENTS = 500

/** A statement that has a name is parsed once for each connection. */
const names = new Map<string, string>()

function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= KEPT_STATEMENTS) return known
  const name = `berth_${names.size}`
  names.set(sql, name)
  return name
}

/** PostgreSQL has no NUL in texts; what a program printed may contain some. */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

export type Ran<Row> = QueryResult<Row> & { hasChanged: boolean }

export async function runQuery<Row>(client: ClientBase, { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<Ran<Row>> {
  const name = nameOf(sql)
  try {
    const result = await client.query({ text: sql, values: parameters.map(withoutNul), ...(name !== undefined && { name }) })
    const count = result.rowCount ?? 0
    const rows = result.rows as Row[] // Kysely typed the query when it was built
    if (result.command === 'SELECT') return { rows, hasChanged: false }
    return { rows, numAffectedRows: BigInt(count), hasChanged: count > 0 }
  } catch (cause) {
    throw isLost(cause) ? new DatabaseLost(cause) : cause
  }
}
