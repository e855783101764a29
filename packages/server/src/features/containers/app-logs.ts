import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { LogPage, LogSearch } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { mainProcessName } from '../../domain/processes.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { LogLine } from '../../engine/api/log-frames.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { fieldError } from '../../lib/app-error.ts'
import { withoutColours } from '../../lib/clean-line.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { LiveRelease } from './live-release.ts'
import { type Batches, merged, type Printer, parseCursor, placed, type ServiceLine } from './log-cursor.ts'
import { readPage } from './log-page.ts'
import { searchLines } from './log-search.ts'
import { createLinePrefix, printedBy, printerOf, withLogs } from './log-services.ts'
import { whenReachable } from './when-reachable.ts'

type Deps = { engine: Pick<Engine, 'containers' | 'logBatches'>; liveRelease: LiveRelease }
type Asked = { caller: Pick<Caller, 'id'>; app: AppRow; closed: AbortSignal }
type Which = { containerId?: string; service?: string; stream?: LogLine['stream'] }
type PageInput = Which & { before?: string; after?: string; around?: string; limit?: number }
type SearchInput = Which & { search: string; context?: number; limit?: number }

const DEFAULT_LIMIT = 1000
const DEFAULT_MATCHES = 200
/** Each reads the whole log from the engine: tens of megabytes, of which little is kept in memory. */
const READ_LIMITS = { running: 6, runningPerKey: 2, waiting: 200, waitingPerKey: 20, waitMs: 30_000 }
const READ_MS = 60_000
/** A download takes as long as its client needs, so downloads have separate slots. */
const DOWNLOAD_LIMITS = { running: 24, runningPerKey: 3, waiting: 50, waitingPerKey: 5, waitMs: 30_000 }
const DOWNLOAD_MS = 30 * 60_000
const TOO_MANY = 'Too many logs are being read. Try again in a few seconds.'
/** One write per line would cost more than the line itself. */
const PIECE_CHARACTERS = 64 * 1024

/**
 * The complete logs of an app's containers, as far as the engine keeps them: by page, by search, or as a download. They are read as a
 * stream.
 */
export function createAppLogs({ engine, liveRelease }: Deps) {
  const reads = createLimiter(READ_LIMITS)
  const downloads = createLimiter(DOWNLOAD_LIMITS)

  async function wantedOf(app: AppRow, which: Which, signal: AbortSignal): Promise<ContainerSummary[]> {
    return withLogs((await liveRelease(app, signal))?.containers ?? [], which, mainProcessName(app))
  }

  async function open(wanted: readonly ContainerSummary[], signal: AbortSignal): Promise<Batches<ServiceLine>> {
    const details = await Promise.all(wanted.map(async ({ id }) => await engine.containers.inspect(id, signal)))
    return merged(
      details.filter((each) => each !== null).map((each) => printedBy(printerOf(each.owner), engine.logBatches(each, { signal }))),
    )
  }

  async function read<Result>({ caller, app, closed }: Asked, which: Which, work: (lines: Batches) => Promise<Result>) {
    const signal = AbortSignal.any([closed, AbortSignal.timeout(READ_MS)])
    const reading = async () =>
      await whenReachable(async () => await work(only(which.stream, placed(await open(await wantedOf(app, which, signal), signal)))))
    return await limited(reads, caller, TOO_MANY, reading)
  }

  async function page(asked: Asked, { before, after, around, limit = DEFAULT_LIMIT, ...which }: PageInput): Promise<LogPage> {
    const [first, second] = Object.entries({ before, after, around }).filter(([, place]) => place !== undefined)
    if (first && second) throw fieldError('invalid_request', second[0], `cannot be given together with ${first[0]}`)
    const place = first?.[1] === undefined ? {} : { [first[0]]: parseCursor(first[1]) }
    return await read(asked, which, async (lines) => await readPage(lines, { limit, ...place }))
  }

  async function search(asked: Asked, input: SearchInput): Promise<LogSearch> {
    const { search: words, context = 0, limit = DEFAULT_MATCHES, ...which } = input
    return await read(asked, which, async (lines) => await searchLines(lines, { search: words, context, limit }))
  }

  /** The whole log as text, as fast as the client reads. */
  async function file({ caller, app, closed }: Asked, which: Which): Promise<Readable> {
    const opened = Promise.withResolvers<Readable>()
    const signal = AbortSignal.any([closed, AbortSignal.timeout(DOWNLOAD_MS)])
    const sending = async () => {
      const wanted = await whenReachable(async () => await wantedOf(app, which, signal))
      const lines = only(which.stream, await whenReachable(async () => await open(wanted, signal)))
      const isOfOne = wanted.length < 2 && (which.service !== undefined || which.containerId !== undefined)
      const text = Readable.from(piecesOf(lines, isOfOne ? () => '' : createLinePrefix(wanted, mainProcessName(app))), {
        objectMode: false,
      })
      opened.resolve(text)
      await finished(text).catch(() => undefined) // the error reaches the client through the stream
    }
    limited(downloads, caller, TOO_MANY, sending).catch(opened.reject)
    return await opened.promise
  }

  return { page, search, file }
}

/** Line numbers refer to the whole log, whichever lines are returned. */
async function* only<Line extends LogLine>(stream: LogLine['stream'] | undefined, batches: Batches<Line>): AsyncGenerator<readonly Line[]> {
  for await (const lines of batches) yield stream === undefined ? lines : lines.filter((line) => line.stream === stream)
}

async function* piecesOf(batches: Batches<ServiceLine>, prefix: (by: Printer) => string): AsyncGenerator<string> {
  let piece = ''
  for await (const lines of batches) {
    for (const line of lines) piece += `${line.at} ${prefix(line)}${withoutColours(line.line)}\n`
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
