import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownPostgres } from '../../../testing/harness/own-postgres.ts'
import type { Database } from '../database.ts'
import { migrations } from '../migrations/index.ts'
import { openDatabase } from '../open.ts'
import { beat, type NodeIdentity } from '../presence.ts'
import { connect } from './connection.ts'
import { takeLocks } from './ownership.ts'

let postgres: NonNullable<Awaited<ReturnType<typeof ownPostgres>>>
const opened: Database[] = []
const directories: string[] = []

beforeEach(async () => {
  const own = await ownPostgres()
  if (!own) throw new Error('this suite needs PostgreSQL')
  postgres = own
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
  await postgres.drop()
})

const nodeNamed = (name: string, change: Partial<NodeIdentity> = {}): NodeIdentity => ({
  name,
  bootId: `boot of ${name}`,
  version: '1',
  keys: 'k',
  ports: [],
  ...change,
})

async function open(node?: NodeIdentity): Promise<Database> {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-nodes-'))
  directories.push(dataDir)
  const options = { now: () => new Date(), onCommit: () => undefined, node }
  const database = await openDatabase({ dataDir, database: { kind: 'postgres', url: postgres.url } }, options)
  opened.push(database)
  return database
}

async function tell(sql: string): Promise<void> {
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

it('several nodes with different names use the database, and all of them write', async () => {
  const [a, b] = [await open(nodeNamed('a')), await open(nodeNamed('b'))]
  for (const [name, { db }] of [['a', a] as const, ['b', b] as const])
    await db.transaction(
      async (tx) =>
        await tx
          .insertInto('fact')
          .values({ name: `of ${name}`, value: '' })
          .execute(),
    )
  const nodes = await a.db.selectFrom('control_plane').select(['name', 'boot_id']).orderBy('name').execute()
  expect(nodes).toEqual([
    { name: 'a', boot_id: 'boot of a' },
    { name: 'b', boot_id: 'boot of b' },
  ])
})

it('refuses the name of a living node, and takes that of one that is gone', async () => {
  const a = await open(nodeNamed('a'))
  const beating = (async () => {
    for (let n = 0; n < 4; n += 1) {
      await a.db.transaction(async (tx) => await beat(tx, nodeNamed('a')))
      await sleep(1000)
    }
  })()
  await expect(open(nodeNamed('a', { bootId: 'second' }))).rejects.toThrow('A node named "a" is running on the database')
  await beating
  await a.close()
  opened.splice(0)
  const again = await open(nodeNamed('a', { bootId: 'second' }))
  expect(await again.db.transaction(async (tx) => await beat(tx, nodeNamed('a')))).toMatchObject({ state: 'replaced' })
  expect(await again.db.transaction(async (tx) => await beat(tx, nodeNamed('a', { bootId: 'second' })))).toMatchObject({
    state: 'edge stopped',
  })
})

it('refuses a node whose keys differ from those of a living one', async () => {
  await open(nodeNamed('a'))
  await expect(open(nodeNamed('b', { keys: 'others' }))).rejects.toThrow('differ from those of the node "a". Copy secrets.key')
  await tell(`update control_plane set heartbeat_at = '2020-01-01T00:00:00.000Z'`)
  await open(nodeNamed('b', { keys: 'others' }))
})

it('refuses to change the tables while other nodes use them', async () => {
  await open(nodeNamed('a'))
  const newest = migrations.at(-1)?.version ?? 0
  await tell(`delete from schema_migration where version = ${newest}`)
  await expect(open(nodeNamed('b'))).rejects.toThrow('Other nodes are running')
})

it('a Berth without a name and nodes are never on one database at once', async () => {
  const clients = [await connect(postgres.url), await connect(postgres.url), await connect(postgres.url)] as const
  const [first, second, third] = clients
  const soon = { waitMs: 300 }
  try {
    await takeLocks(first, undefined, soon)
    await expect(takeLocks(second, nodeNamed('a'), soon)).rejects.toThrow('a Berth without BERTH_NODE_NAME is using it')
    await first.end()
    await takeLocks(second, nodeNamed('a'), soon)
    await expect(takeLocks(third, undefined, soon)).rejects.toThrow('another Berth is using it')
    await expect(takeLocks(third, nodeNamed('a'), soon)).rejects.toThrow('the node "a" is using it already')
  } finally {
    for (const client of [second, third]) await client.end()
  }
})
