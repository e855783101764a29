import { cleanLine } from '../../../lib/clean-line.ts'
import type { Redactor } from '../../../lib/redact.ts'
import { isLastLine, type LogStream } from './log-lines.ts'

export type LogWriter = { append(line: string, stream: LogStream): void; flush(): Promise<void>; close(): Promise<void> }
export type NewLine = readonly [line: string, stream: LogStream]

type Deps = {
  redactor: Pick<Redactor, 'stream'>
  /** Called with the lines that arrived during the last call; they are in the file when it resolves. */
  store: (lines: readonly NewLine[]) => Promise<void>
  onClosed: () => Promise<void>
}

const MOST_BYTES = 20 * 1024 * 1024
const KEPT_AT_END = 500

/** Accepts lines as fast as they come. A log that has reached its limit keeps its beginning and its end. */
export function createLogWriter(deps: Deps): LogWriter {
  const redacted = deps.redactor.stream<LogStream>(keep)
  let bytes = 0
  let skipped = 0
  const last: NewLine[] = []
  let waiting: NewLine[] = []
  let flushing: Promise<void> | undefined

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      await deps.store(lines)
    }
    flushing = undefined
  }

  function put(line: string, stream: LogStream): void {
    waiting.push([line, stream])
    flushing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(flush)
  }

  function keep(line: string, stream: LogStream): void {
    bytes += line.length + 2
    if (bytes <= MOST_BYTES) return put(line, stream)
    last.push([line, stream])
    if (last.length > KEPT_AT_END) {
      last.shift()
      skipped += 1
    }
  }

  function append(text: string, stream: LogStream): void {
    if (!isLastLine({ line: text, stream })) return redacted.push(text, stream, stream === 'berth' ? 'berth' : '')
    redacted.flush()
    keep(cleanLine(text), stream) // our own text, and a reason that is already redacted; it must be the last line
  }

  async function close(): Promise<void> {
    redacted.flush()
    if (skipped > 0) put(`… ${skipped} lines skipped: the log has reached its limit of 20 MiB`, 'berth')
    for (const [line, stream] of last) put(line, stream)
    await flushing
    await deps.onClosed()
  }

  return {
    append,
    flush: async () => {
      redacted.flush()
      await flushing
    },
    close,
  }
}
