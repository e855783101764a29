export type LogStream = 'stdout' | 'stderr' | 'berth'
export type LogLine = { n: number; text: string; stream: LogStream; at: string }
export type NewLogLine = Omit<LogLine, 'n'>
export type LogFilter = { search: string; stream: LogStream | 'all' }
export type LogView = { lines: readonly LogLine[]; total: number; dropped: number; version: number }

type Options = {
  capacity: number
  /** Runs a flush soon: one frame of the screen, or at once in a test. Lines come faster than a screen can be drawn. */
  soon: (flush: () => void) => void
}

/** Keeps the newest lines of a log and those that pass a filter. Each new line is filtered once; the whole log is not scanned again. */
export function createLogBuffer({ capacity, soon }: Options) {
  let lines: LogLine[] = []
  let shown: LogLine[] = lines
  let filter: LogFilter = { search: '', stream: 'all' }
  let waiting: LogLine[] = []
  let scheduled = false
  let paused = false
  let next = 0
  let view: LogView = { lines: shown, total: 0, dropped: 0, version: 0 }
  const listeners = new Set<() => void>()

  function publish(): void {
    view = { lines: shown, total: lines.length, dropped: next - lines.length - waiting.length, version: view.version + 1 }
    for (const listener of listeners) listener()
  }

  function refilter(): void {
    shown = filter.search === '' && filter.stream === 'all' ? lines : lines.filter((line) => passes(line, filter))
  }

  function flush(): void {
    scheduled = false
    if (paused || waiting.length === 0) return
    const arrived = waiting
    waiting = []
    const unfiltered = shown === lines
    for (const line of arrived) lines.push(line)
    if (lines.length > capacity * 1.1) {
      // Dropping a tenth at a time is cheaper than dropping one line for each new one.
      lines = lines.slice(-capacity)
      refilter()
    } else if (!unfiltered) for (const line of arrived) if (passes(line, filter)) shown.push(line)
    publish()
  }

  function append(added: readonly NewLogLine[]): void {
    for (const line of added) {
      waiting.push({ n: next, ...line })
      next += 1
    }
    // While paused, new lines wait; those that the buffer could never show are dropped.
    if (waiting.length > capacity * 1.1) waiting = waiting.slice(-capacity)
    if (scheduled || paused) return
    scheduled = true
    soon(flush)
  }

  function setFilter(wanted: LogFilter): void {
    filter = wanted
    refilter()
    publish()
  }

  function setPaused(wanted: boolean): void {
    paused = wanted
    if (!paused) flush()
  }

  function clear(): void {
    lines = []
    waiting = []
    next = 0
    refilter()
    publish()
  }

  return {
    append,
    setFilter,
    setPaused,
    clear,
    text: () => [...lines, ...waiting].map(({ text }) => `${text}\n`).join(''),
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export type LogBuffer = ReturnType<typeof createLogBuffer>

function passes(line: LogLine, { search, stream }: LogFilter): boolean {
  if (stream !== 'all' && line.stream !== stream) return false
  return search === '' || line.text.toLowerCase().includes(search.toLowerCase())
}
