import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledBerth, installBerth } from '../../testing/harness/installed-berth.ts'
import { type ReleaseFeed, startReleaseFeed } from '../../testing/harness/release-feed.ts'
import { createTestReleases, type TestReleases } from '../../testing/harness/test-releases.ts'
import { ALL_KILLS, updateKilled, wanted, wordsOf } from './update-kills.ts'

let directory: string
let releases: TestReleases
let feed: ReleaseFeed
let berth: InstalledBerth

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-kills-'))
  releases = await createTestReleases(directory)
  feed = await startReleaseFeed(releases.feed)
  berth = await installBerth({ directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
  await berth.start()
  await berth.logIn()
  await berth.call('projects.create', { name: 'Shop' })
}, 240_000)
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await feed.close()
  await rm(directory, { recursive: true, force: true })
})

it.each(ALL_KILLS.map((kill, index) => ({ words: wordsOf(kill), kill, index })))(
  '$words',
  { timeout: 180_000 },
  async ({ kill, index }) => {
    const found = await updateKilled(berth, releases, kill, { number: `70.1.${index}`, migrations: index + 1 })
    expect(found).toEqual(wanted(kill))
  },
)
