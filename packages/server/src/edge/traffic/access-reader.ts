import { connect, type Socket } from 'node:net'
import { ACCESS_RING } from '../haproxy/terms.ts'

const RECONNECT_MS = 2_000
const MAX_LINE = 4_096
/** Without pauses the reader, and HAProxy, would be woken for every line, which is a third of the cost of a request. */
const REST_MS = 500
/** HAProxy sends its backlog in chunks of nearly its buffer size. A smaller chunk means that there is no more. */
const LITTLE = 8_192
const PIECE_BYTES = 65_536

/**
 * Follows HAProxy's in-memory log over the runtime socket: many lines per read, no open port, and a slow or missing reader never delays a
 * request. The log holds far more lines than arrive during a pause.
 */
export function createAccessReader(deps: { socketPath: string; onLine: (line: string) => void }) {
  let socket: Socket | undefined
  let isClosed = false
  let reconnect: NodeJS.Timeout | undefined

  function open(): void {
    const opened = connect({
      path: deps.socketPath,
      // not 'data' events: a paused socket keeps reading line by line until its own buffer is full
      onread: { buffer: Buffer.alloc(PIECE_BYTES), callback: readThenRest(deps.onLine, () => opened.resume()) },
    })
    opened.on('connect', () => opened.write(`show events ${ACCESS_RING} -w -n\n`))
    opened.on('error', () => undefined) // the edge is not running; 'close' follows and schedules the next attempt
    opened.on('close', () => {
      if (isClosed || socket !== opened) return
      reconnect = setTimeout(open, RECONNECT_MS)
      reconnect.unref()
    })
    socket = opened
  }

  open()
  return {
    /** Reads from the current worker. */
    reopen: (): void => {
      if (isClosed) return
      const before = socket
      clearTimeout(reconnect)
      open()
      before?.destroy()
    },
    close: (): void => {
      isClosed = true
      clearTimeout(reconnect)
      socket?.destroy()
    },
  }
}

/** Reads chunk after chunk until HAProxy has no more; then returns false, which ends the reading until `goOn` after the pause. */
function readThenRest(onLine: (line: string) => void, goOn: () => void): (bytes: number, buffer: Uint8Array) => boolean {
  let cut = ''
  let pieces = 0
  return (bytes, buffer) => {
    const lines = `${cut}${latin1(buffer, bytes)}`.split('\n') // plain ASCII, so a chunk may end anywhere
    cut = lines.pop() ?? ''
    if (cut.length > MAX_LINE) cut = ''
    lines.forEach(onLine)
    pieces += 1
    // the first chunk is what was waiting in the socket, however little
    if (pieces === 1 || bytes >= LITTLE) return true
    pieces = 0
    setTimeout(goOn, REST_MS).unref()
    return false
  }
}

function latin1(buffer: Uint8Array, bytes: number): string {
  return Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString('latin1')
}
