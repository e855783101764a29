import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDownloads } from './downloads.ts'

const WINDOW_MS = 120_000
const MIB = 1024 * 1024
const LAYER = '0123456789ab'
const OTHER = 'ba9876543210'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const never = () => new AbortController().signal
const reasonOf = ({ signal }: { signal: AbortSignal }) => (signal.aborted ? (signal.reason as Error).name : 'goes on') // only errors are reasons

/** Brings this many bytes a minute, for so long. */
async function bring(download: { layer(id: string, state: 'arriving', current: number): void }, bytesAMinute: number, minutes: number) {
  for (let second = 1; second <= minutes * 60; second += 1) {
    download.layer(LAYER, 'arriving', Math.floor((bytesAMinute * second) / 60))
    await vi.advanceTimersByTimeAsync(1000)
  }
}

it('a MiB a minute is enough, and less is not', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [fine, slow] = [downloads.follow('pull', never()), downloads.follow('pull', never())]
  await bring(fine, 1.1 * MIB, 10)
  expect([reasonOf(fine), reasonOf(slow)]).toEqual(['goes on', 'PullTooSlow'])
  for (const each of [fine, slow]) each[Symbol.dispose]()
  const late = downloads.follow('pull', never())
  await bring(late, 0.9 * MIB, 3)
  expect(reasonOf(late)).toBe('PullTooSlow')
})

it('time stands still while layers are unpacked and nothing else comes, but not while another one comes slowly', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [unpacks, hides] = [downloads.follow('pull', never()), downloads.follow('pull', never())]
  for (const each of [unpacks, hides]) each.layer(LAYER, 'local')
  hides.layer(OTHER, 'arriving', 100)
  await vi.advanceTimersByTimeAsync(30 * 60_000)
  expect([reasonOf(unpacks), reasonOf(hides)]).toEqual(['goes on', 'PullTooSlow'])
})

it('what waits for a place stands still while others download, and has ten minutes where nobody is known to', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [holder, waiter] = [downloads.follow('pull', never()), downloads.follow('pull', never())]
  waiter.layer(OTHER, 'waiting')
  await bring(holder, 2 * MIB, 20)
  expect(reasonOf(waiter)).toBe('goes on')
  holder[Symbol.dispose]()
  await vi.advanceTimersByTimeAsync(9 * 60_000)
  expect(reasonOf(waiter)).toBe('goes on')
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  expect(reasonOf(waiter)).toBe('PullTooSlow')
})

it('a registry that does not answer for a layer holds a place too', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [holder, mute] = [downloads.follow('pull', never()), downloads.follow('pull', never())]
  mute.layer(OTHER, 'asked')
  mute.layer('another layer', 'waiting')
  await bring(holder, 2 * MIB, 3)
  expect(reasonOf(mute)).toBe('PullTooSlow')
})

it('whoever has brought a shared layer too slowly is ended, even while it brings others, and those who wait for it try again', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [trap, caught, fine] = [1, 2, 3].map(() => downloads.follow('pull', never()))
  if (!trap || !caught || !fine) throw new Error('there are three')
  for (const each of [trap, caught]) each.layer(OTHER, 'arriving', 10)
  fine.layer('a third layer', 'arriving', 10 * MIB)
  await bring(trap, 2 * MIB, 3)
  expect([reasonOf(trap), reasonOf(caught), reasonOf(fine)]).toEqual(['PullTooSlow', 'PullHeldUp', 'goes on'])
})

it('somebody with a slow download of their own does not end those of others that they joined', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [honest, hostile] = [downloads.follow('pull', never()), downloads.follow('pull', never())]
  hostile.layer(OTHER, 'arriving', 1)
  hostile.layer(LAYER, 'waiting')
  await bring(honest, 2 * MIB, 3)
  expect([reasonOf(honest), reasonOf(hostile)]).toEqual(['goes on', 'PullTooSlow'])
})

it('a build that waits for an image may be the last one that wants a slow layer: it is ended a window after the others', async () => {
  const downloads = createDownloads(WINDOW_MS)
  const [trap, build, busy] = [downloads.follow('pull', never()), downloads.follow('build', never()), downloads.follow('build', never())]
  build.silent(true)
  trap.layer(LAYER, 'arriving', 1)
  await vi.advanceTimersByTimeAsync(WINDOW_MS + 1000)
  expect([reasonOf(trap), reasonOf(build)]).toEqual(['PullTooSlow', 'goes on'])
  trap[Symbol.dispose]()
  await vi.advanceTimersByTimeAsync(WINDOW_MS + 1000)
  expect([reasonOf(build), reasonOf(busy)]).toEqual(['PullTooSlow', 'goes on'])
})
