import { createListeners } from './listeners.ts'

export type LogStream = 'stdout' | 'stderr' | 'berth'
/** `n` is the key of a line in its buffer, `id` its place in the log where lines can be linked to. */
export type LogLine = { n: number; text: string; stream: LogStream; at: string; id?: string }
export type NewLogLine = Omit<LogLine, 'n'>
export type LogView = { lines: readonly LogLine[]; total: number; dropped: number; version: number }

type Options = {
  capacity: number
  /** Runs a flush soon: one frame of the screen, or at once in a test. Lines come faster than a screen can be drawn. */
  soon: (flush: () => void, linesBefore: number) => void
}

/** The lines that are kept, and those of one stream. Each new line is looked at once; the whole log is not scanned again. */
function createKeptLines(capacity: number) {
  let lines: LogLine[] = []
  let shown: LogLine[] = lines
  let wanted: LogStream | 'all' = 'all'
  const passes = (line: LogLine): boolean => wanted === 'all' || line.stream === wanted

  function refilter(): void {
    shown = wanted === 'all' ? lines : lines.filter(passes)
  }

  return {
    all: (): readonly LogLine[] => lines,
    shown: (): readonly LogLine[] => shown,
    /** Returns how many older lines were dropped. */
    add(arrived: readonly LogLine[]): number {
      const unfiltered = shown === lines
      for (const line of arrived) lines.push(line)
      // Dropping a tenth at a time is cheaper than dropping one line for each new one.
      const tooMany = lines.length > capacity * 1.1 ? lines.length - capacity : 0
      if (tooMany > 0) {
        lines = lines.slice(tooMany)
        refilter()
      } else if (!unfiltered) for (const line of arrived) if (passes(line)) shown.push(line)
      return tooMany
    },
    set(next: readonly LogLine[]): void {
      lines = [...next]
      refilter()
    },
    setStream(stream: LogStream | 'all'): void {
      wanted = stream
      refilter()
    },
  }
}

/** Keeps the newest lines of a log and notifies its listeners at most once per frame. */
export function createLogBuffer({ capacity, soon }: Options) {
  const kept = createKeptLines(capacity)
  const listeners = createListeners()
  let waiting: LogLine[] = []
  let scheduled = false
  let paused = false
  let next = 0
  let linesBefore = 0
  let dropped = 0
  let view: LogView = { lines: kept.shown(), total: 0, dropped: 0, version: 0 }

  function publish(): void {
    view = { lines: kept.shown(), total: kept.all().length, dropped, version: view.version + 1 }
    listeners.tell()
  }

  function flush(): void {
    scheduled = false
    if (paused || waiting.length === 0) return
    dropped += kept.add(waiting)
    linesBefore = waiting.length
    waiting = []
    publish()
  }

  function append(added: readonly NewLogLine[]): void {
    for (const line of added) {
      waiting.push({ n: next, ...line })
      next += 1
    }
    // While paused, new lines wait; those that the buffer could never show are dropped.
    if (waiting.length > capacity * 1.1) {
      dropped += waiting.length - capacity
      waiting = waiting.slice(-capacity)
    }
    if (scheduled || paused) return
    scheduled = true
    soon(flush, linesBefore)
  }

  /** Puts older lines in front, in place of the first `instead` lines. */
  function prepend(added: readonly NewLogLine[], instead = 0): void {
    const rest = kept.all().slice(instead)
    const from = (rest[0]?.n ?? next) - added.length
    kept.set([...added.map((line, at) => ({ n: from + at, ...line })), ...rest])
    publish()
  }

  /** Starts over with these lines. */
  function replace(lines: readonly NewLogLine[]): void {
    waiting = []
    next = 0
    dropped = 0
    kept.set([])
    prepend(lines)
  }

  function setStream(stream: LogStream | 'all'): void {
    kept.setStream(stream)
    publish()
  }

  function setPaused(isPaused: boolean): void {
    paused = isPaused
    if (!paused) flush()
  }

  const text = () => [...kept.all(), ...waiting].map((line) => `${line.text}\n`).join('')
  const { subscribe } = listeners
  return { append, prepend, replace, clear: () => replace([]), setStream, setPaused, all: kept.all, text, view: () => view, subscribe }
}

export type LogBuffer = ReturnType<typeof createLogBuffer>
