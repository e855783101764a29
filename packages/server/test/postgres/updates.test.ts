import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type InstalledBerth, installBerth } from '../../testing/harness/installed-berth.ts'
import { ownPostgres } from '../../testing/harness/own-postgres.ts'
import { type ReleaseFeed, startReleaseFeed } from '../../testing/harness/release-feed.ts'
import { createTestReleases, FAILS_HEALTH, type TestReleases } from '../../testing/harness/test-releases.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 }) // a busy machine makes it slow, not wrong

let directory: string
let postgres: { url: string; drop: () => Promise<void> }
let releases: TestReleases
let feed: ReleaseFeed
let berth: InstalledBerth

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-updates-postgres-'))
  const own = await ownPostgres({ isEmpty: true })
  if (!own) throw new Error('these tests need PostgreSQL')
  postgres = own
  releases = await createTestReleases(directory)
  feed = await startReleaseFeed(releases.feed)
  berth = await installBerth({ directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
  await berth.start({ BERTH_DATABASE_URL: postgres.url })
  await berth.logIn()
  await berth.call('projects.create', { name: 'Shop' })
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await feed.close()
  await postgres.drop()
  await rm(directory, { recursive: true, force: true })
})

async function tables(): Promise<string[]> {
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      'select relname as name from pg_class where relnamespace = current_schema()::regnamespace',
    )
    return rows.map(({ name }) => name).toSorted()
  } finally {
    await client.end()
  }
}

async function projectNames(): Promise<string[]> {
  return (await berth.call('projects.list')).map(({ name }) => name).toSorted()
}

async function ended() {
  const { state, error } = await berth.outcome()
  return { state, error, running: [(await berth.health())?.version, await berth.current()] }
}

it('updates with a migration, and refuses changes until the new version has proved itself', async () => {
  await releases.publish('70.1.0')
  await berth.call('updates.apply')
  await berth.until(async () => (await berth.status())?.phase === 'watching', 'it is watched')
  const write = await berth.raw('POST', '/api/projects/create', { cookie: berth.cookie(), body: { name: 'Too early' } })
  expect([write.status, write.json.code]).toEqual([503, 'update_in_check'])
  expect(await ended()).toEqual({ state: 'succeeded', error: '', running: ['70.1.0', '70.1.0'] })
  expect(await projectNames()).toEqual(['Shop'])
  expect(await tables()).toContain('new_0')
})

it('returns to the version and the database from before, and goes on giving ids', async () => {
  await berth.until(async () => {
    const later = await berth.raw('POST', '/api/projects/create', { cookie: berth.cookie(), body: { name: 'Later' } })
    return later.status === 200
  }, 'changes are accepted again')
  const before = await tables()
  await releases.publish('70.2.0', { first: FAILS_HEALTH, migrations: 2 })
  await berth.call('updates.apply')
  const error = 'Berth 70.2.0 is not healthy: /health answers 503'
  expect(await ended()).toEqual({ state: 'failed', error, running: ['70.1.0', '70.1.0'] })
  expect(await tables()).toEqual(before)
  await berth.call('projects.create', { name: 'After' })
  expect(await projectNames()).toEqual(['After', 'Later', 'Shop'])
})

it('returns after the supervisor was killed in the middle of that', { tags: 'long' }, async () => {
  await berth.stop()
  const env = { BERTH_DATABASE_URL: postgres.url }
  // of snapshot, watching, attempt, switch, returning, restore, switch back: after the database is back, and before the link is
  await berth.start({ ...env, BERTH_TEST_SUPERVISOR_FAULT: JSON.stringify({ kind: 'crash-after', at: 6, ms: 0 }) })
  const before = await tables()
  await releases.publish('70.3.0', { first: FAILS_HEALTH, migrations: 2 })
  await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() })
  await berth.until(berth.hasEnded, 'the supervisor was killed')
  await berth.start(env)
  expect(await ended()).toMatchObject({ state: 'failed', running: ['70.1.0', '70.1.0'] })
  expect(await tables()).toEqual(before)
  expect(await projectNames()).toEqual(['After', 'Later', 'Shop'])
})

it('keeps what was written while a version without a migration was watched, and makes no copy for it', { tags: 'long' }, async () => {
  await berth.stop()
  await berth.start({ BERTH_DATABASE_URL: postgres.url }, { updateWatchMs: 60_000 })
  await releases.publish('70.4.0')
  await berth.call('updates.apply')
  await berth.until(async () => (await berth.status())?.phase === 'watching', 'it is watched')
  await berth.until(async () => (await berth.health())?.version === '70.4.0', 'it answers')
  await berth.call('projects.create', { name: 'Meanwhile' })
  expect(await berth.call('updates.clear')).toEqual({ cleared: true })
  expect(await ended()).toMatchObject({ state: 'failed', running: ['70.1.0', '70.1.0'] })
  expect(await projectNames()).toEqual(['After', 'Later', 'Meanwhile', 'Shop'])
  const [{ log, from } = { log: [], from: '' }] = await berth.call('updates.history')
  expect([from, log.filter((line) => line.includes('Copying'))]).toEqual(['70.1.0', []])
})
