import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type InstalledBerth, installBerth } from '../packages/server/testing/harness/installed-berth.ts'
import { startReleaseFeed } from '../packages/server/testing/harness/release-feed.ts'
import { createTestReleases } from '../packages/server/testing/harness/test-releases.ts'
import { makeDataDir, remove } from './lib/berth.ts'
import { median, numberFlag, say, verdict } from './lib/numbers.ts'

/**
 * Updates of an installed Berth, each with a migration: how long they take without the watched minute, and how long the API is away. The
 * supervisor of the first one is of the version that runs; later ones become that first, as on a machine that runs for long.
 */
const rounds = numberFlag('rounds', 4)
const projects = numberFlag('projects', 100)
const WATCH_MS = 1000
const ASK_EVERY_MS = 5

type Memory = { resident: number; own: number }

/** In megabytes: all of it, and what it shares with no other process. */
function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const sum = (name: RegExp) => [...text.matchAll(name)].reduce((total, [, kilobytes]) => total + (Number(kilobytes) * 1024) / 1e6, 0)
  return { resident: sum(/^Rss: +(\d+) kB/gm), own: sum(/^Private_(?:Clean|Dirty): +(\d+) kB/gm) }
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

function sayMemory(when: string, berth: InstalledBerth): void {
  const [supervisor, server] = [memoryOf(berth.pid()), memoryOf(childOf(berth.pid()))]
  const words = ({ resident, own }: Memory) => `${resident.toFixed(0)} MB, ${own.toFixed(0)} MB of it its own`
  say(`memory ${when}: supervisor ${words(supervisor)}; server ${words(server)}`)
}

/** Asks all the time on new connections; gives the longest time between two answers. */
function watchAnswers(url: string) {
  let [lastMs, longestMs, isOver] = [performance.now(), 0, false]
  const asking = (async () => {
    while (!isOver) {
      const answer = await fetch(`${url}/health`, { headers: { connection: 'close' } }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer?.ok === true) {
        longestMs = Math.max(longestMs, performance.now() - lastMs)
        lastMs = performance.now()
      }
      await sleep(ASK_EVERY_MS)
    }
  })()
  return async () => {
    isOver = true
    await asking
    return longestMs / 1000
  }
}

/** When the log says this, in seconds since the epoch. */
function secondsAt(log: readonly string[], words: string): number {
  const line = log.find((each) => each.includes(words))
  if (line === undefined) throw new Error(`the log of the update does not say "${words}"`)
  return Date.parse(line.split(' ')[0] ?? '') / 1000
}

async function update(berth: InstalledBerth) {
  const end = watchAnswers(berth.url)
  const begin = performance.now()
  await berth.call('updates.apply')
  const { state, error } = await berth.outcome()
  if (state !== 'succeeded') throw new Error(`the update did not succeed: ${error}`)
  const seconds = (performance.now() - begin - WATCH_MS) / 1000
  const away = await end()
  const log = (await berth.call('updates.history'))[0]?.log ?? []
  const [stop, copy, start, answers] = ['Stopping', 'Copying', 'Starting Berth', 'answers; watching'].map((words) => secondsAt(log, words))
  if (stop === undefined || copy === undefined || start === undefined || answers === undefined) throw new Error('a time is missing')
  return { seconds, away, stopping: copy - stop, copying: start - copy, starting: answers - start }
}

const directory = makeDataDir()
const releases = await createTestReleases(directory)
const feed = await startReleaseFeed(releases.feed)
const berth = await installBerth({ directory, archive: releases.archive, feed: feed.url, key: releases.publicKey })
const begin = performance.now()
await berth.start({}, { updateWatchMs: WATCH_MS })
say(`first start of supervisor and server: ${(performance.now() - begin).toFixed(0)} ms`)
say(`archive, compressed quickly: ${((await stat(releases.archive)).size / 1e6).toFixed(1)} MB`)
await berth.logIn()
for (let project = 0; project < projects; project += 1) await berth.call('projects.create', { name: `Project ${project}` })
sayMemory('before', berth)
const all: Awaited<ReturnType<typeof update>>[] = []
for (let round = 1; round <= rounds; round += 1) {
  await releases.publish(`70.${round}.0`, { migrations: round })
  await sleep(2000) // packing it is no part of the update
  const one = await update(berth)
  all.push(one)
  const parts = `until the old one had ended ${one.stopping.toFixed(2)} s, copies ${one.copying.toFixed(2)} s, start ${one.starting.toFixed(2)} s`
  say(`update ${round}: ${one.seconds.toFixed(1)} s and the watched minute; API away for ${one.away.toFixed(2)} s (${parts})`)
}
sayMemory('after', berth)
say(`median of ${rounds} updates: ${median(all.map(({ seconds }) => seconds)).toFixed(1)} s and the watched minute`)
verdict('longest time that the API was away, s', Math.max(...all.map(({ away }) => away)), { atMost: 3 })
await berth[Symbol.asyncDispose]()
await feed.close()
remove(directory)
