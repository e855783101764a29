import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A database of its own, migrated or empty, on the PostgreSQL server of the tests; undefined if these tests run on SQLite. */
export async function ownPostgres({ isEmpty = false } = {}): Promise<{ url: string; drop: () => Promise<void> } | undefined> {
  // a benchmark starts servers outside of the test runner
  const server = process.env['VITEST'] === undefined ? undefined : inject('postgres')
  if (server === undefined) return undefined
  const name = `t_${randomBytes(6).toString('hex')}`
  await tell(server.admin, `create database ${name} template ${isEmpty ? 'template1' : server.template}`)
  return { url: server.prefix.replace('NAME', name), drop: async () => await tell(server.admin, `drop database ${name} with (force)`) }
}

async function tell(admin: string, sql: string): Promise<void> {
  const client = new pg.Client(admin)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
