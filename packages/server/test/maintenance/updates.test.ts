import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { takeSnapshot } from '../../src/supervisor/snapshot.ts'
import { createUpdateRecords } from '../../src/supervisor/update-records.ts'
import { type InstalledBerth, installBerth } from '../../testing/harness/installed-berth.ts'
import { type ReleaseFeed, startReleaseFeed } from '../../testing/harness/release-feed.ts'
import { createTestReleases, ENDS_AT_START, FAILS_HEALTH, FIRST_VERSION, type TestReleases } from '../../testing/harness/test-releases.ts'
import { type Kill, updateKilled, wanted, wordsOf } from './update-kills.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 }) // a busy machine makes it slow, not wrong

let directory: string
let releases: TestReleases
let feed: ReleaseFeed
let berth: InstalledBerth

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-updates-'))
  releases = await createTestReleases(directory)
  feed = await startReleaseFeed(releases.feed)
  berth = await installBerth({ directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
  await berth.start()
  await berth.logIn()
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await feed.close()
  await rm(directory, { recursive: true, force: true })
})

async function apply(): Promise<void> {
  expect((await berth.call('updates.apply')).state).toBe('in_progress')
}

async function projectNames(): Promise<string[]> {
  return (await berth.call('projects.list')).map(({ name }) => name)
}

function tables(): string[] {
  const file = new BetterSqlite(path.join(berth.dataDir, 'berth.sqlite'), { readonly: true })
  try {
    return file
      .prepare<[], { name: string }>("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name)
  } finally {
    file.close()
  }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** How the update failed, and what runs now: the version before, with everything. */
async function failure() {
  const { state, from, error } = await berth.outcome()
  const running = [(await berth.health())?.version, await berth.current()]
  return { state, error, isBack: running.every((version) => version === from), isWhole: (await projectNames()).includes('Shop') }
}

function back(error: RegExp) {
  return { state: 'failed', error: expect.stringMatching(error), isBack: true, isWhole: true }
}

it('A: installed from the archive, it runs under its supervisor and finds nothing to do', async () => {
  expect((await berth.health())?.version).toBe(FIRST_VERSION)
  await berth.call('projects.create', { name: 'Shop' })
  expect(await berth.call('updates.status')).toMatchObject({ state: 'idle' })
  expect((await berth.call('backups.list')).restoreCommand).toBe('berth-server restore')
  await releases.publish('69.0.0', { migrations: 0 })
  expect(await berth.call('updates.check')).toMatchObject({ current: FIRST_VERSION, available: false, message: '' })
  const answer = await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() })
  expect(answer.json.code).toBe('no_update')
})

it('B: it updates with a migration, refuses changes until it has proved itself, and keeps everything', async () => {
  await releases.publish('70.1.0')
  await berth.until(async () => (await berth.call('updates.check')).available, 'the new version is seen')
  expect(await berth.call('updates.check')).toMatchObject({ latest: '70.1.0', notes: 'What is new in 70.1.0' })
  await apply()
  const second = await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() })
  expect([second.status, second.json.code]).toEqual([409, 'update_running'])
  await berth.until(async () => (await berth.status())?.phase === 'watching', 'it is watched')
  const write = await berth.raw('POST', '/api/projects/create', { cookie: berth.cookie(), body: { name: 'Too early' } })
  expect([write.status, write.json.code]).toEqual([503, 'update_in_check'])
  expect(await berth.outcome()).toMatchObject({ state: 'succeeded', from: FIRST_VERSION, to: '70.1.0', error: '' })
  expect(await berth.current()).toBe('70.1.0')
  expect(await projectNames()).toEqual(['Shop'])
  expect(tables()).toContain('new_0')
  await berth.until(async () => {
    const later = await berth.raw('POST', '/api/projects/create', { cookie: berth.cookie(), body: { name: 'Later' } })
    return later.status === 200
  }, 'changes are accepted again')
  expect(readdirSync(path.join(berth.root, 'releases')).toSorted()).toEqual([FIRST_VERSION, '70.1.0'])
  expect(filesIn(path.join(berth.dataDir, 'backups'))).toEqual([]) // the supervisor has made the copy to go back to
  expect(['downloads', 'rehearsal'].flatMap((name) => filesIn(path.join(berth.dataDir, 'updates', name)))).toEqual([])
})

it('C: a version that ends at its start is left again', async () => {
  await releases.publish('70.2.0', { first: ENDS_AT_START })
  await apply()
  expect(await failure()).toEqual(back(/^Berth 70\.2\.0 did not stay up: it ended with exit code 3$/))
})

it('D: a version that is not healthy is left again, and the database is the one from before its migration', async () => {
  await releases.publish('70.3.0', { first: FAILS_HEALTH, migrations: 2 })
  const before = tables()
  await apply()
  expect(await failure()).toEqual(back(/^Berth 70\.3\.0 is not healthy: \/health answers 503$/))
  expect(tables()).toEqual(before)
  expect((await projectNames()).toSorted()).toEqual(['Later', 'Shop'])
})

it('E: a migration that fails is found on a copy', async () => {
  await releases.publish('70.4.0', { migrations: 2, isLastBad: true })
  await apply()
  expect(await failure()).toEqual(back(/does not start with a copy of the data: Error: this migration fails$/))
})

it('a rehearsal ends with the server that began it, even if that one is killed', async () => {
  const env = {
    PATH: process.env['PATH'],
    BERTH_UPDATE_MODE: 'rehearsal',
    BERTH_DATA_DIR: path.join(directory, 'rehearsed'),
    HOST: '127.0.0.1',
  }
  const child = spawn(path.join(berth.root, 'current/bin/berth-server'), [], { env: { ...env, PORT: '0', BERTH_PROVISION: 'off' } })
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await berth.until(async () => said.includes('Berth listens'), 'the rehearsal listens')
  child.stdin.destroy() // as the kernel does when the server is gone
  expect((await exited)[0]).toBe(1)
})

it('F: an index that somebody changed is not believed', async () => {
  feed.changeIndex(true)
  await releases.publish('70.5.0')
  const answer = await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() })
  feed.changeIndex(false)
  expect([answer.status, answer.json.code]).toEqual([503, 'update_feed_failed'])
  expect(answer.json.error).toMatch(/its signature is not valid/)
  expect((await berth.health())?.version).toBe('70.1.0')
})

it('G: an archive with another checksum is thrown away', async () => {
  await releases.publish('70.6.0', {}, { sha256: 'a'.repeat(64) })
  await apply()
  expect(await failure()).toEqual(back(/checksum of the downloaded archive is wrong/))
})

it('H: a download that is cut off ends the update, and the next one goes on from there', async () => {
  await releases.publish('70.7.0')
  try {
    feed.cutArchives(100_000, 1000)
    await apply()
    await berth.until(async () => feed.ranges.length > 2, 'it asks for the rest')
    feed.cutArchives(0, 1000)
    expect(await failure()).toEqual(back(/^The download stopped after \d+ of \d+ bytes/))
  } finally {
    feed.cutArchives(0, 0)
  }
  await apply()
  expect(await berth.outcome()).toMatchObject({ state: 'succeeded', to: '70.7.0' })
  expect(Number(/\d+/.exec(feed.ranges.at(-1) ?? '')?.[0])).toBeGreaterThan(100_000)
})

it('a disk without room for it is seen before anything is done', async () => {
  await berth.stop()
  await berth.start({}, { updateSpareBytes: 1e16 })
  await releases.publish('70.8.0')
  await apply()
  expect(await failure()).toEqual(back(/^The update needs [\d.]+ [A-Z]iB in .*, and [\d.]+ [A-Z]iB are free\.$/))
  await berth.stop()
  await berth.start({}, { updateWatchMs: 60_000 })
})

it('without a migration changes are accepted while it is watched, and stay when an owner ends the update', async () => {
  await releases.announce('70.8.0')
  await apply()
  await berth.until(async () => (await berth.status())?.phase === 'watching', 'it is watched')
  expect((await berth.health())?.version).toBe('70.8.0')
  await berth.call('projects.create', { name: 'Meanwhile' })
  expect(await berth.call('updates.clear')).toEqual({ cleared: true })
  expect(await failure()).toEqual(back(/^It was cleared by an owner\.$/))
  expect(await projectNames()).toContain('Meanwhile')
  expect(await berth.call('updates.clear')).toEqual({ cleared: false })
})

/** Two of the sweep in `update-kills.long.ts`. */
const KILLS: readonly Kill[] = [
  { who: 'server', when: 'crash-after', at: 6, to: 'good' },
  { who: 'supervisor', when: 'crash-before', at: 7, to: 'bad' },
]

it.each(KILLS.map((kill, index) => ({ words: wordsOf(kill), kill, index })))(
  'is on the old or the new version after kill -9: $words',
  async ({ kill, index }) => {
    const found = await updateKilled(berth, releases, kill, { number: `71.0.${index}`, migrations: index + 2 })
    expect(found).toEqual(wanted(kill))
  },
)

it('keeps a history with the reasons', async () => {
  const history = await berth.call('updates.history')
  expect(history.map(({ to, state }) => `${to} ${state}`)).toEqual([
    '71.0.1 failed',
    '71.0.0 succeeded',
    '70.8.0 failed',
    '70.8.0 failed',
    '70.7.0 succeeded',
    '70.7.0 failed',
    '70.6.0 failed',
    '70.4.0 failed',
    '70.3.0 failed',
    '70.2.0 failed',
    '70.1.0 succeeded',
  ])
  expect(history[0]?.by).toBe('owner@example.test')
  expect(history.at(-1)?.log.join('\n')).toMatch(/Downloading Berth 70\.1\.0[^]*copy of the database[^]*Berth 70\.1\.0 is running\./)
})

it('an update that Berth cannot end any more is ended by a command, with the database from before', async () => {
  const current = await berth.current()
  const endUpdate = async () =>
    await promisify(execFile)(path.join(berth.root, 'releases', current, 'bin/berth-server'), ['end-update'], { env })
  const env = { PATH: process.env['PATH'], BERTH_DATA_DIR: berth.dataDir }
  const records = createUpdateRecords(path.join(berth.dataDir, 'updates'), () => new Date())
  const at = { id: '29990101T000000Z', startedAt: '2999-01-01T00:00:00.000Z', endedAt: null }
  const open = {
    from: current,
    to: '99.0.0',
    by: '',
    phase: 'watching',
    outcome: null,
    error: '',
    keepsData: false,
    goodBefore: [],
  } as const
  await berth.stop()
  const before = tables()
  await takeSnapshot(berth.dataDir, path.join(records.directory, `${at.id}.snapshot`))
  new BetterSqlite(path.join(berth.dataDir, 'berth.sqlite')).exec('create table of_the_new_version (id)').close()
  await records.write({ ...at, ...open, attempts: 1 })
  await mkdir(path.join(berth.root, 'releases', '99.0.0'))
  expect((await endUpdate()).stdout).toBe(`The update to Berth 99.0.0 was ended; Berth ${current} is the current version.\n`)
  expect(tables()).toEqual(before)
  expect(await berth.current()).toBe(current)
  expect(existsSync(path.join(berth.root, 'releases', '99.0.0'))).toBe(false)
  expect(await records.newest()).toMatchObject({ outcome: 'failed', failedIn: 'returning' })
  expect((await endUpdate()).stdout).toBe('There is no update to end.\n')
  await berth.start()
  await records.write({ ...at, ...open, phase: 'downloading', attempts: 0 })
  await expect(endUpdate()).rejects.toThrow('Another Berth is using the data directory')
})
