import { type LogPlace, readLines } from './log-file.ts'
import type { LogLine } from './log-lines.ts'
import type { RecentLines } from './recent-lines.ts'

type Following = {
  path: string
  recent: RecentLines
  /** How far the file may be read: to the end of what was written, or to the end of the file if there is no writer. */
  writtenBytes: () => number | undefined
  from: number
  /** Ends following; lines written before are still delivered. */
  signal: AbortSignal
}
/** New lines are the same object for all followers; lines read from the file are for one reader only. */
export type LogBatch = { readonly lines: readonly LogLine[]; readonly isShared: boolean }
type Step = LogBatch & { readonly end: LogPlace }

/** Every line after `from`, past and live, exactly once and in order. */
export async function* followLog(following: Following): AsyncGenerator<LogBatch> {
  const news = listenFor(following)
  try {
    yield* everythingBy(following, news)
  } finally {
    news.stop()
  }
}

async function* everythingBy(following: Following, news: News): AsyncGenerator<LogBatch> {
  let place: LogPlace = { lines: 0, bytes: 0 }
  for (;;) {
    news.begin() // before the read, so that nothing written during it is missed
    const isLastLook = following.signal.aborted
    const before = place
    for await (const { lines, isShared, end } of linesAfter(place, following)) {
      place = end
      if (lines.length > 0) yield { lines, isShared }
    }
    if (place !== before) continue
    if (isLastLook) return
    await news.came()
  }
}

type News = ReturnType<typeof listenFor>

/** New lines, or the end. */
function listenFor({ recent, signal }: Following) {
  let next = Promise.withResolvers<void>()
  const onNews = () => next.resolve()
  recent.listeners.add(onNews)
  signal.addEventListener('abort', onNews)
  return {
    begin: () => {
      next = Promise.withResolvers()
    },
    came: async () => await next.promise,
    stop: () => {
      recent.listeners.delete(onNews)
      signal.removeEventListener('abort', onNews)
    },
  }
}

/** The lines after a position: the next batch of new lines, or lines from the file for a late or slow reader. */
async function* linesAfter(place: LogPlace, { path, recent, writtenBytes, from }: Following): AsyncGenerator<Step> {
  const batch = recent.batchAfter(place)
  if (batch) yield { lines: unseen(batch.lines, Math.max(from, place.lines)), isShared: true, end: batch.end }
  if (batch || recent.isUpToDate(place)) return
  for await (const read of readLines(path, place, { end: writtenBytes(), after: from })) yield { ...read, isShared: false }
}

/** The batch itself if all of it is new, so that followers can share what was computed from it. */
function unseen(batch: readonly LogLine[], after: number): readonly LogLine[] {
  return (batch[0]?.n ?? 0) > after ? batch : batch.filter(({ n }) => n > after)
}
