import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../src/store/open.ts'
import { ownPostgres } from '../../testing/harness/own-postgres.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'
import { runServerToItsEnd } from '../../testing/harness/test-process.ts'

vi.setConfig({ testTimeout: 240_000 }) // it runs the command many times

type Fault = { kind: 'crash-after'; at: number }

let dir: string
/** A data directory on SQLite, which each test copies. */
let first: string
let appId: number
const databases: { drop: () => Promise<void> }[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-move-'))
  first = join(dir, 'first')
  await mkdir(first, { mode: 0o700 })
  await using berth = await startTestServer({ dataDir: first, env: { BERTH_DATABASE_URL: '' } })
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Shop', description: 'Ümläute, 漢字, 🚀 and "quotes"' })
  const gitCloneUrl = 'https://git.example.test/shop.git'
  const app = await owner.call('apps.create', { name: 'Website', projectId: project.id, gitCloneUrl, envVars: { KEY: 'a-secret-value' } })
  appId = app.id
  await owner.call('apps.createDeployKey', { appId })
  const last = await owner.call('projects.create', { name: 'Deleted' })
  await owner.call('projects.delete', { id: last.id })
})
afterAll(async () => {
  for (const { drop } of databases) await drop()
  await rm(dir, { recursive: true, force: true })
})

async function emptyDatabase(): Promise<string> {
  const database = await ownPostgres({ isEmpty: true })
  if (!database) throw new Error('these tests need PostgreSQL')
  databases.push(database)
  return database.url
}

async function copyOf(name: string): Promise<string> {
  const dataDir = join(dir, name)
  await cp(first, dataDir, { recursive: true })
  return dataDir
}

async function move(to: string, place: { dataDir: string; url: string }, fault?: Fault) {
  const env = { NODE_ENV: 'test', BERTH_DATA_DIR: place.dataDir, BERTH_DATABASE_URL: place.url }
  return await runServerToItsEnd({ ...env, ...(fault && { BERTH_TEST_FAULT: JSON.stringify({ ...fault, ms: 0 }) }) }, [
    'migrate-database',
    to,
  ])
}

/** What a server that is started there shows, and the id of the next project. */
async function shown({ dataDir, url }: { dataDir: string; url: string }) {
  await using berth = await startTestServer({ dataDir, env: { BERTH_DATABASE_URL: url } })
  const owner = await berth.owner()
  const [project] = await owner.call('projects.list')
  const values = (await owner.call('envs.list', { appId })).map(({ key, value }) => `${key}=${value}`)
  const next = await owner.call('projects.create', { name: 'Next' })
  await owner.call('projects.delete', { id: next.id })
  return { description: project?.description, values, nextId: next.id }
}

const SAME = { description: 'Ümläute, 漢字, 🚀 and "quotes"', values: ['KEY=a-secret-value'] }

it('moves everything to PostgreSQL and back: the same data, and no id is given twice', async () => {
  const place = { dataDir: await copyOf('there-and-back'), url: await emptyDatabase() }
  const there = await move('postgres', place)
  expect(there).toMatchObject({ exitCode: 0, errors: '' })
  expect(there.out).toMatch(/^project +1 rows {2}[0-9a-f]{16}$/m)
  expect(await readFile(join(place.dataDir, 'database'), 'utf8')).toMatch(/^postgres [0-9a-f]{8}\n$/)
  expect(existsSync(join(place.dataDir, 'berth.sqlite'))).toBe(false)
  expect((await readdir(join(place.dataDir, 'backups'))).filter((name) => name.startsWith('before-postgresql-'))).toHaveLength(1)
  expect(await shown(place)).toEqual({ ...SAME, nextId: 3 })
  expect(await move('sqlite', place)).toMatchObject({ exitCode: 0, errors: '' })
  expect(existsSync(join(place.dataDir, 'database'))).toBe(false)
  expect(await shown({ ...place, url: '' })).toEqual({ ...SAME, nextId: 4 })
  await expect(shown(place)).rejects.toThrow('was moved to SQLite at')
  const again = await move('postgres', place)
  expect(again).toMatchObject({ exitCode: 1, errors: expect.stringMatching(/^The database of BERTH_DATABASE_URL is not empty/) })
  expect(await move('postgres', { ...place, url: await emptyDatabase() })).toMatchObject({ exitCode: 0, errors: '' })
})

it('is refused while a Berth runs on either database, and into one that is used', async () => {
  const place = { dataDir: await copyOf('refused'), url: await emptyDatabase() }
  const refused = (text: string) => ({ exitCode: 1, errors: expect.stringContaining(text) })
  {
    await using _running = await startTestServer({ dataDir: place.dataDir, env: { BERTH_DATABASE_URL: '' } })
    expect(await move('postgres', place)).toMatchObject(refused('Another Berth is using the data directory'))
  }
  const elsewhere = join(dir, 'elsewhere')
  await mkdir(elsewhere, { mode: 0o700 })
  {
    await using _running = await startTestServer({ dataDir: elsewhere, env: { BERTH_DATABASE_URL: place.url } })
    expect(await move('postgres', place)).toMatchObject(refused('another Berth is using it'))
  }
  expect(await move('postgres', place)).toMatchObject(refused('is not empty'))
  expect(await move('sqlite', place)).toMatchObject(refused('does not belong to a PostgreSQL database'))
  expect(await move('postgres', { dataDir: elsewhere, url: place.url })).toMatchObject(refused('belongs to a PostgreSQL database already'))
  expect(await move('sqlite', { dataDir: elsewhere, url: await emptyDatabase() })).toMatchObject(refused('belongs to another PostgreSQL'))
  expect(await move('oracle', place)).toMatchObject({ exitCode: 2, errors: expect.stringContaining('use postgres or sqlite') })
  expect(await move('postgres', { ...place, url: '' })).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Set BERTH_DATABASE_URL'),
  })
})

/** Which of the two a Berth can be started from. */
async function startable({ dataDir, url }: { dataDir: string; url: string }): Promise<string[]> {
  const kinds = [{ kind: 'sqlite' }, { kind: 'postgres', url }] as const
  const opened: string[] = []
  for (const database of kinds) {
    const options = { now: () => new Date(), onCommit: () => undefined }
    const found = await openDatabase({ dataDir, database }, options).catch(() => undefined)
    if (found) opened.push(database.kind)
    await found?.close()
  }
  return opened
}

/** Before a step is after the one before it. */
const FAULTS = [1, 2, 3, 4].map((at): Fault => ({ kind: 'crash-after', at }))
/** The third is where the new database is whole and the old one is still there. */
const tagsOf = ({ at }: Fault) => (at === 3 ? [] : ['long'])

describe.each(FAULTS)('killed after step $at', (fault) => {
  it('on the way to PostgreSQL: one database can be started, and the next try moves it', { tags: tagsOf(fault) }, async () => {
    const place = { dataDir: await copyOf(`there-${fault.at}`), url: await emptyDatabase() }
    expect((await move('postgres', place, fault)).exitCode).toBe(null)
    const hasMoved = existsSync(join(place.dataDir, 'database'))
    expect(await startable(place)).toEqual([hasMoved ? 'postgres' : 'sqlite'])
    const hasFinished = !existsSync(join(place.dataDir, 'berth.sqlite'))
    expect((await move('postgres', place)).exitCode).toBe(hasFinished ? 1 : 0)
    expect(await startable(place)).toEqual(['postgres'])
    expect(await shown(place)).toMatchObject(SAME)
  })

  it('on the way to SQLite: never both can be started, and the next try moves it', { tags: tagsOf(fault) }, async () => {
    const place = { dataDir: await copyOf(`back-${fault.at}`), url: await emptyDatabase() }
    await move('postgres', place)
    expect((await move('sqlite', place, fault)).exitCode).toBe(null)
    const before = await startable(place)
    expect(before.length).toBeLessThan(2)
    const hasFinished = !existsSync(join(place.dataDir, 'database'))
    expect((await move('sqlite', place)).exitCode).toBe(hasFinished ? 1 : 0)
    expect(await startable(place)).toEqual(['sqlite'])
    expect(await shown({ ...place, url: '' })).toMatchObject(SAME)
  })
})
