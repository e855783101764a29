/** @module-tag long */
import { mkdtemp, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { removeFirewalls } from '../../src/provision/firewalls.ts'
import { type GitServer, startGitServer } from '../../testing/harness/git-server.ts'
import { type InstalledBerth, installBerth } from '../../testing/harness/installed-berth.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { type ReleaseFeed, startReleaseFeed } from '../../testing/harness/release-feed.ts'
import { mountSmallDisk, type SmallDisk } from '../../testing/harness/small-disk.ts'
import { createTestReleases, ENDS_AT_START, FAILS_HEALTH, type TestReleases } from '../../testing/harness/test-releases.ts'
import { ensureBusybox, httpdApp, openTestEngine, removeEverything } from '../../testing/images/test-images.ts'
import { readRows } from '../../testing/labs/deploy-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 }) // a busy machine makes it slow, not wrong

const { engine } = openTestEngine()
const HOST = 'shop.example.test'
const BODY = 'open all day'
const DISK_MEGABYTES = 1000
/** Enough for Berth itself. */
const ROOM_BYTES = 30 * 1024 * 1024
const NO_ROOM = /^The update needs [\d.]+ [A-Z]iB in .*, and [\d.]+ [A-Z]iB are free\.$/
let directory: string
let disk: SmallDisk
let releases: TestReleases
let feed: ReleaseFeed
let git: GitServer
let berth: InstalledBerth
let visitors: { count: () => number; lost: string[]; end: () => Promise<void> }
const ports = { httpPort: 0, httpsPort: 0 }

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-update-visitors-'))
  const mounted = await mountSmallDisk(DISK_MEGABYTES)
  if (mounted.unavailable !== undefined) throw new Error(mounted.unavailable)
  disk = mounted
  ;[releases, git] = await Promise.all([createTestReleases(directory), startGitServer(), ensureBusybox(engine)])
  feed = await startReleaseFeed(releases.feed)
  berth = await installBerth({ directory: disk.directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
  Object.assign(ports, { httpPort: await freePort(), httpsPort: await freePort() })
  await berth.start({
    DOCKER_HOST: 'unix:///var/run/docker.sock',
    BERTH_PROVISION: 'auto',
    BERTH_EDGE_HTTP_PORT: String(ports.httpPort),
    BERTH_EDGE_HTTPS_PORT: String(ports.httpsPort),
    BERTH_PRIVATE_SOURCES: '127.0.0.1',
  })
  await berth.logIn()
})
afterAll(async () => {
  await visitors.end()
  const [fact] = readRows<{ value: string }>(berth.dataDir, "select value from fact where name = 'instance_id'")
  await berth[Symbol.asyncDispose]()
  await feed.close()
  await git[Symbol.asyncDispose]()
  if (fact !== undefined) await removeEverything(engine, { 'berth.instance': fact.value })
  await removeFirewalls(Number(new URL(berth.url).port))
  await disk[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function answer(): Promise<string> {
  return await visit(ports, { host: HOST }).then(
    ({ text }) => text.trim(),
    (cause: unknown) => String(cause),
  )
}

/** Visitors who come all the time, and what they got that is not the app. */
function startVisits(): typeof visitors {
  const lost: string[] = []
  let [count, isOver] = [0, false]
  const visiting = (async () => {
    for (; !isOver; count += 1) {
      const text = await answer()
      if (text !== BODY) lost.push(text)
      await sleep(30)
    }
  })()
  return {
    count: () => count,
    lost,
    end: async () => {
      isOver = true
      await visiting
    },
  }
}

/** How an update ended, what runs now, and what visitors noticed of it. */
async function updated() {
  const { code } = (await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() })).json
  const { state, error } = await berth.outcome()
  const seen = visitors.count()
  await berth.until(async () => visitors.count() > seen + 2, 'visitors come after it too')
  const names = (await berth.call('projects.list')).map(({ name }) => name)
  return {
    state: code ?? state,
    error,
    running: [(await berth.health())?.version, await berth.current()],
    names,
    lost: visitors.lost,
  }
}

function onB(state: string, error: RegExp) {
  return { state, error: expect.stringMatching(error), running: ['70.1.0', '70.1.0'], names: ['Shop'], lost: [] }
}

it('A and B: an app that was deployed before serves every visitor of an update with a migration', async () => {
  const repository = await git.createRepository({ files: httpdApp({ body: BODY }) })
  const project = await berth.call('projects.create', { name: 'Shop' })
  const app = await berth.call('apps.create', { name: 'Shop', projectId: project.id, gitCloneUrl: repository.url })
  await berth.call('domains.create', { appId: app.id, domain: HOST })
  await berth.call('deployments.create', { appId: app.id })
  await berth.until(async () => (await answer()) === BODY, 'the app serves')
  visitors = startVisits()
  await releases.publish('70.1.0')
  expect(await updated()).toEqual(onB('succeeded', /^$/))
  expect((await berth.call('apps.get', { appId: app.id })).status).toBe('running')
})

type Case = { name: string; publish: () => Promise<void>; after?: () => unknown; state?: string; error: RegExp }

const CASES: Case[] = [
  {
    name: 'C ends at its start',
    publish: async () => await releases.publish('70.2.0', { first: ENDS_AT_START }),
    error: /^Berth 70\.2\.0 did not stay up: it ended with exit code 3$/,
  },
  {
    name: 'D is not healthy',
    publish: async () => await releases.publish('70.3.0', { first: FAILS_HEALTH, migrations: 2 }),
    error: /^Berth 70\.3\.0 is not healthy/,
  },
  {
    name: 'E has a migration that fails',
    publish: async () => await releases.publish('70.4.0', { migrations: 2, isLastBad: true }),
    error: /this migration fails$/,
  },
  {
    name: 'F is in an index with a wrong signature',
    publish: async () => {
      await releases.publish('70.5.0')
      feed.changeIndex(true)
    },
    after: () => feed.changeIndex(false),
    state: 'update_feed_failed',
    error: /this migration fails$/, // of the update before: this one never began
  },
  {
    name: 'G has another checksum',
    publish: async () => await releases.publish('70.6.0', {}, { sha256: 'a'.repeat(64) }),
    error: /checksum of the downloaded archive is wrong/,
  },
  {
    name: 'H is cut off in the middle of the download',
    publish: async () => {
      await releases.publish('70.7.0')
      feed.cutArchives(100_000, 1000)
      const asked = feed.ranges.length
      void berth.until(async () => feed.ranges.length > asked + 2, 'it asks for the rest').then(() => feed.cutArchives(0, 1000))
    },
    after: () => feed.cutArchives(0, 0),
    error: /^The download stopped after \d+ of \d+ bytes/,
  },
  {
    name: 'a disk without room for it',
    publish: async () => {
      await releases.publish('70.8.0')
      await disk.fill()
      const filler = path.join(disk.directory, 'filler')
      await truncate(filler, (await stat(filler)).size - ROOM_BYTES)
    },
    after: async () => await disk.free(),
    error: NO_ROOM,
  },
  {
    name: 'a full disk',
    publish: async () => await disk.fill(),
    after: async () => await disk.free(),
    state: 'storage_unavailable',
    error: NO_ROOM, // of the update before: this one never began
  },
]

it.each(CASES)('returns to B with the reason, and no visitor notices: $name', async ({ publish, after, state = 'failed', error }) => {
  await publish()
  try {
    expect(await updated()).toEqual(onB(state, error))
  } finally {
    await after?.()
  }
})

it('updates after all of that', async () => {
  await releases.publish('70.9.0', { migrations: 2 })
  expect(await updated()).toMatchObject({ state: 'succeeded', running: ['70.9.0', '70.9.0'], names: ['Shop'], lost: [] })
})
