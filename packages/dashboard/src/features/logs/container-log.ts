import type { AppLogFrame, ContainerFrame, LogEntry, Stream, StreamState } from '@berth/contract'
import { call } from '../../lib/api.ts'
import { createListeners } from '../../lib/listeners.ts'
import { createLogBuffer, type LogBuffer, type LogStream, type NewLogLine } from '../../lib/log-buffer.ts'
import { type LogFound, type LogSearchWanted, MOST_MATCHES } from '../../lib/log-source.ts'
import { follow } from '../../lib/sockets.ts'
import { createContainerReader, type Prefix, prefixOf } from './follow-container.ts'
import { createLogPages, ofStream, type Which } from './log-pages.ts'

type ContainerLogView = {
  state: StreamState['is']
  older: number | undefined
  newer: number
  isLoading: boolean
  problem: string
  /** New lines come in. After a jump to an older line they do not. */
  isLive: boolean
}

const LINES_KEPT = 100_000
const LINES_BEFORE = 2_000
const PAGE_LINES = 4_000
/** When more lines come than a screen can show, nobody reads them one by one. */
const DRAW_MS = { slow: 100, fast: 250 } as const
const SCREEN_LINES = 60
/** The last lines come at once; how many there are before them is asked when they are there. */
const COUNT_AFTER_MS = 1_000

const STARTING: ContainerLogView = { state: 'connecting', older: undefined, newer: 0, isLoading: false, problem: '', isLive: true }

/** `linesBefore`: how many the last drawing added. */
const drawSoon = (flush: () => void, linesBefore: number): void =>
  void setTimeout(flush, linesBefore > SCREEN_LINES ? DRAW_MS.fast : DRAW_MS.slow)

const lineWith =
  (withPrefix: boolean, named: Prefix) =>
  ({ id, at, stream, line, ...by }: LogEntry): NewLogLine => ({ id, at, stream, text: withPrefix ? `${named(by)}${line}` : line })

/** The first lines of the live stream may be cut between some of the same time: these are asked for again. */
function beforeFirst(buffer: LogBuffer, isLive: boolean): { before: string; instead: number } | undefined {
  const lines = buffer.all()
  const first = lines.find(({ id }) => id !== undefined)
  if (first?.id === undefined) return undefined
  const next = lines.findIndex(({ id, at }) => id !== undefined && at !== first.at)
  const id = lines[next]?.id
  return isLive && id !== undefined ? { before: id, instead: next } : { before: first.id, instead: 0 }
}

type On = { line: (line: NewLogLine) => void; state: (is: StreamState['is']) => void }

/** The live stream of a container, or of several as one, as lines of a log. */
function followLive({ appId, containerId, service }: Which, named: Prefix, on: On): Stream {
  const reader = createContainerReader({ withPrefix: containerId === undefined, named })
  const listeners = {
    onFrame: (frame: ContainerFrame | AppLogFrame) => {
      const line = reader.lineOf(frame)
      if (line) on.line(line)
    },
    onState: ({ is }: StreamState) => {
      if (is === 'open') reader.reconnected()
      on.state(is)
    },
  }
  if (containerId !== undefined) return follow('container.logs', { containerId, tail: LINES_BEFORE }, listeners)
  return follow('app.logs', { appId, tail: LINES_BEFORE, ...(service !== undefined && { service }) }, listeners)
}

/** The log of a container: the newest lines and live ones, older ones by page, or a part of it around a line. */
export function createContainerLog(which: Which, named: Prefix = prefixOf) {
  const lineOf = lineWith(which.containerId === undefined, named)
  const buffer = createLogBuffer({ capacity: LINES_KEPT, soon: drawSoon })
  const listeners = createListeners()
  const pages = createLogPages(which, publish)
  let view = STARTING
  let stream: LogStream | 'all' = 'all'
  let live: Stream | undefined
  let hasBegun = false

  function publish(next: Partial<ContainerLogView>): void {
    view = { ...view, ...next }
    listeners.tell()
  }

  function stop(): void {
    hasBegun = false
    pages.cancel()
    live?.close()
    olderLines.cancel()
  }

  function begin(next: Partial<ContainerLogView>): void {
    stop()
    hasBegun = true
    publish({ ...STARTING, ...next })
  }

  function goToEnd(): void {
    begin({})
    buffer.clear()
    live = followLive(which, named, {
      line: (line) => {
        if (stream === 'all' || line.stream === stream || line.stream === 'berth') buffer.append([line])
      },
      state: (is) => {
        publish({ state: is })
        if (is === 'open' && view.older === undefined) olderLines.countSoon()
      },
    })
  }

  const ask: AskPage = async (place, use) => await pages.ask(stream, place, use)
  const loaded = { buffer, lineOf, view: () => view, publish, ask }
  const olderLines = createOlderLines({ ...loaded, isOneStream: () => stream !== 'all' })
  const { loadOlder, loadNewer, goTo } = createMoves({ ...loaded, begin })

  async function search({ words, context, signal }: LogSearchWanted): Promise<LogFound> {
    const wanted = { search: words, context, limit: MOST_MATCHES }
    const found = await call('containers.logSearch', { ...which, ...ofStream(stream), ...wanted }, { signal })
    return { ...found, lines: found.lines.map((line) => ({ ...lineOf(line), n: line.n, isMatch: line.isMatch })) }
  }

  /** With the newest lines, unless a link has led to others already. */
  function start(): void {
    if (!hasBegun) goToEnd()
  }

  function setStream(next: LogStream | 'all'): void {
    stream = next
    goToEnd()
  }

  const { subscribe } = listeners
  return { buffer, start, close: stop, goToEnd, loadOlder, loadNewer, goTo, search, setStream, view: () => view, subscribe }
}

type AskPage = (
  place: { before?: string; after?: string; around?: string; limit: number; isQuiet?: boolean },
  use: (page: { lines: LogEntry[]; first: number; total: number }) => void,
) => Promise<void>
type Loaded = {
  buffer: LogBuffer
  lineOf: (entry: LogEntry) => NewLogLine
  view: () => ContainerLogView
  publish: (next: Partial<ContainerLogView>) => void
  ask: AskPage
}

/** How many lines there are before those that came live. */
function createOlderLines({ buffer, lineOf, view, publish, ask, isOneStream }: Loaded & { isOneStream: () => boolean }) {
  let counting: ReturnType<typeof setTimeout> | undefined

  function count(): void {
    const place = beforeFirst(buffer, view().isLive)
    if (place)
      return void ask({ before: place.before, limit: 1, isQuiet: true }, ({ first, lines }) =>
        publish({ older: first + lines.length - place.instead }),
      )
    // None have come yet, or the newest are all of the other stream.
    void ask({ limit: PAGE_LINES, isQuiet: !isOneStream() }, ({ first, lines }) => {
      if (beforeFirst(buffer, true)) return count()
      if (isOneStream()) buffer.prepend(lines.map(lineOf))
      if (isOneStream() || lines.length === 0) publish({ older: first })
      else countSoon()
    })
  }

  function countSoon(): void {
    counting = setTimeout(count, COUNT_AFTER_MS)
  }

  return { countSoon, cancel: () => clearTimeout(counting) }
}

/** The ways through a log that is longer than what is loaded of it. */
function createMoves({ buffer, lineOf, view, publish, begin, ask }: Loaded & { begin: (next: Partial<ContainerLogView>) => void }) {
  function loadOlder(): void {
    const place = beforeFirst(buffer, view().isLive)
    if (!place || view().older === 0 || buffer.all().length >= LINES_KEPT) return
    void ask({ before: place.before, limit: PAGE_LINES }, ({ lines, first }) => {
      buffer.prepend(lines.map(lineOf), place.instead)
      publish({ older: first - buffer.view().dropped })
    })
  }

  function loadNewer(): void {
    const last = buffer.all().at(-1)?.id
    if (view().isLive || last === undefined || view().newer === 0) return
    void ask({ after: last, limit: PAGE_LINES }, ({ lines, first, total }) => {
      buffer.append(lines.map(lineOf))
      publish({ newer: total - first - lines.length })
    })
  }

  function goTo(id: string): void {
    if (buffer.all().some((line) => line.id === id)) return
    begin({ isLive: false, state: 'ended' })
    void ask({ around: id, limit: PAGE_LINES }, ({ lines, first, total }) => {
      buffer.replace(lines.map(lineOf))
      const problem = lines.some((line) => line.id === id) ? '' : 'This line is no longer in the log.'
      publish({ older: first, newer: total - first - lines.length, problem })
    })
  }

  return { loadOlder, loadNewer, goTo }
}
