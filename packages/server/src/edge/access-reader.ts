import { connect, type Socket } from 'node:net'
import { ACCESS_RING } from './haproxy-config.ts'

const RECONNECT_MS = 2_000
const MAX_LINE = 4_096
/** A reader that is always there is woken for every line, and so is HAProxy: a third of what a request costs. So it reads in bursts. */
const BURST_MS = 20
const REST_MS = 500
/** A burst that brought as much is followed by another one at once. */
const MUCH = 256 * 1024

/**
 * Follows HAProxy's in-memory log over the runtime socket: many lines a read, no open port, and a reader that is slow or away
 * never holds up a request. The log holds the lines of well over the rest between two reads.
 */
export function createAccessReader(deps: { socketPath: string; onLine: (line: string) => void }) {
  let socket: Socket | undefined
  let isClosed = false
  let reconnect: NodeJS.Timeout | undefined

  function open(): void {
    const opened = connect(deps.socketPath)
    let rest = ''
    opened.setEncoding('latin1') // lines are plain ASCII, and a read that was cut anywhere stays whole
    opened.on('connect', () => opened.write(`show events ${ACCESS_RING} -w -n\n`))
    opened.on('data', (chunk) => {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) rest = ''
      lines.forEach(deps.onLine)
    })
    opened.on('error', () => undefined) // the edge is away; 'close' follows and plans the next try
    opened.on('close', () => {
      if (isClosed || socket !== opened) return
      reconnect = setTimeout(open, RECONNECT_MS)
      reconnect.unref()
    })
    readInBursts(opened)
    socket = opened
  }

  open()
  return {
    /** Reads from the worker that serves now. */
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

function readInBursts(socket: Socket): void {
  let received = 0
  let burst: NodeJS.Timeout | undefined
  const endBurst = () => {
    burst = undefined
    if (received < MUCH) {
      socket.pause()
      setTimeout(() => socket.resume(), REST_MS).unref()
    }
    received = 0
  }
  socket.on('data', (chunk) => {
    received += chunk.length
    burst ??= setTimeout(endBurst, BURST_MS).unref()
  })
}
