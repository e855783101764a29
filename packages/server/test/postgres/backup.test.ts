import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { runCommand } from '../../src/maintenance/commands.ts'
import { ownPostgres } from '../../testing/harness/own-postgres.ts'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

let dir: string
let berth: TestServer
let appId: number
let said: string[]
const databases: { drop: () => Promise<void> }[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-pg-backup-'))
  berth = await startTestServer()
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Shop' })
  const gitCloneUrl = 'https://git.example.test/shop.git'
  const app = await owner.call('apps.create', { name: 'Website', projectId: project.id, gitCloneUrl, envVars: { KEY: 'a-secret-value' } })
  appId = app.id
  await owner.call('apps.createDeployKey', { appId })
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  for (const { drop } of databases) await drop()
  await rm(dir, { recursive: true, force: true })
})
afterEach(() => vi.unstubAllEnvs())

async function emptyDatabase(): Promise<string> {
  const database = await ownPostgres({ isEmpty: true })
  if (!database) throw new Error('these tests need PostgreSQL')
  databases.push(database)
  return database.url
}

async function command(args: string[], env: Record<string, string> = {}): Promise<number> {
  said = []
  const all = { ...berth.env, BERTH_BACKUP_PASSPHRASE: '', ...env }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  const say = (text: string) => void said.push(text)
  return await runCommand(args, { print: say, complain: say, askSecret: async () => 'a-new-password' })
}

async function valuesIn(place: { dataDir: string; url: string }): Promise<{ values: string[]; projects: number[] }> {
  await using server = await startTestServer({ dataDir: place.dataDir, env: { BERTH_DATABASE_URL: place.url } })
  const owner = await server.owner()
  const values = (await owner.call('envs.list', { appId })).map(({ key, value }) => `${key}=${value}`)
  return { values, projects: (await owner.call('projects.list')).map(({ id }) => id) }
}

it('a backup of PostgreSQL is made while Berth writes, and is restored into PostgreSQL and into SQLite', async () => {
  const owner = await berth.owner()
  const file = join(dir, 'one.tar.gz')
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) await owner.call('projects.create', { name: `During ${n}` })
  })()
  expect(await command(['backup', file]), said.join()).toBe(0)
  isOver = true
  await writing
  expect(await command(['verify', file])).toBe(0)
  expect(said[0]).toMatch(/with 1 app and 1 user\.$/)
  const [onPostgres, onSqlite] = [
    { dataDir: join(dir, 'on-postgres'), url: await emptyDatabase() },
    { dataDir: join(dir, 'on-sqlite'), url: '' },
  ]
  for (const { dataDir, url } of [onPostgres, onSqlite])
    expect(await command(['restore', file], { BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: url }), said.join()).toBe(0)
  expect(existsSync(join(onPostgres.dataDir, 'berth.sqlite'))).toBe(false)
  const found = await valuesIn(onPostgres)
  expect(found.values).toEqual(['KEY=a-secret-value'])
  expect(await valuesIn(onSqlite)).toEqual(found)
  const [first = 0, ...others] = found.projects.toSorted((a, b) => a - b)
  expect(others).toEqual(others.map((_, n) => first + n + 1)) // a state that there was: none is missing in between
  const again = await command(['restore', file], { BERTH_DATA_DIR: join(dir, 'again'), BERTH_DATABASE_URL: onPostgres.url })
  expect([again, said.join(), existsSync(join(dir, 'again'))]).toEqual([1, expect.stringContaining('is not empty'), false])
})

it('gives no id a second time after a restore', async () => {
  const file = join(dir, 'ids.tar.gz')
  expect(await command(['backup', file]), said.join()).toBe(0)
  const late = await (await berth.owner()).call('projects.create', { name: 'After the backup' })
  const place = { BERTH_DATA_DIR: join(dir, 'ids'), BERTH_DATABASE_URL: await emptyDatabase() }
  expect(await command(['restore', file], place), said.join()).toBe(0)
  await using restored = await startTestServer({ dataDir: place.BERTH_DATA_DIR, env: { BERTH_DATABASE_URL: place.BERTH_DATABASE_URL } })
  const fresh = await (await restored.owner()).call('projects.create', { name: 'After the restore' })
  expect(fresh.id).toBeGreaterThan(late.id)
})

it('the server makes, lists and verifies backups of itself', async () => {
  const owner = await berth.owner()
  const { name } = await owner.call('backups.create')
  expect(await owner.call('backups.verify', { name })).toMatchObject({ apps: 1, users: 1 })
  expect((await owner.call('backups.list')).nextAt).not.toBe(null)
})

it('the doctor reads the database', async () => {
  await command(['doctor'])
  expect(said.join('\n')).toMatch(/^ok {7}Database: PostgreSQL answers, schema version \d+$/m)
})

it('keys are rotated while Berth is stopped, and every secret opens with the new one', async () => {
  expect(await command(['rotate-keys'])).toBe(1)
  expect(said[0]).toMatch(/^Another Berth is using/)
  await berth.stop()
  const before = await readFile(join(berth.dataDir, 'secrets.key'))
  expect(await command(['rotate-keys']), said.join()).toBe(0)
  expect(said[0]).toMatch(/: 2 secrets were encrypted again/)
  expect(await readFile(join(berth.dataDir, 'secrets.key'))).not.toEqual(before)
  expect((await valuesIn({ dataDir: berth.dataDir, url: berth.env['BERTH_DATABASE_URL'] ?? '' })).values).toEqual(['KEY=a-secret-value'])
})
