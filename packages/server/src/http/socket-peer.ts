import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { EncodedFrames } from './text-frames.ts'

const PING_MS = 30_000
const BUFFER_BYTES = 1024 * 1024
const PATIENCE_MS = 15_000
const SLOW = 'the client reads too slowly'
const INPUT_BYTES = 16 * 1024 // between two pings; a client that pings every second sends at most a quarter of it
const NO_INPUT = 'this stream accepts no messages'

type Frame = { type: string; timestamp: string; data: unknown; seq?: number }

/** Closes the connection of a client that sends a lot, before the library parses the frames: one read can contain ten thousand. */
function watchInput(ws: WebSocket, socket: Duplex): { countAnew: () => void } {
  let received = 0
  socket.prependListener('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > INPUT_BYTES) ws.terminate()
  })
  return {
    countAnew: () => {
      received = 0
    },
  }
}

/** What the client has not read yet, and what was dropped because of that. */
function createBuffer(ws: WebSocket, onTooSlow: () => void) {
  let dropped = 0
  let fullSince: number | undefined

  function hasRoom(): boolean {
    if (ws.bufferedAmount < BUFFER_BYTES) {
      fullSince = undefined
      return true
    }
    fullSince ??= performance.now()
    if (performance.now() - fullSince > PATIENCE_MS) onTooSlow()
    return false
  }

  function drop(lines: number): void {
    dropped += lines
  }

  /** Reports what was dropped so far, before anything else is sent. */
  function sendGap(timestamp: string): void {
    if (dropped === 0) return
    ws.send(JSON.stringify({ type: 'gap', timestamp, data: { lines: dropped } }))
    dropped = 0
  }

  return { hasRoom, drop, sendGap }
}

/** Pings the client regularly, and answers its pings. */
function keepAlive(ws: WebSocket, { hasRoom, onPing }: { hasRoom: () => boolean; onPing: () => void }): () => void {
  let isAlive = true
  const ping = setInterval(() => {
    if (!isAlive) return ws.terminate()
    isAlive = false
    onPing()
    if (hasRoom()) ws.ping()
  }, PING_MS)
  ws.on('pong', () => {
    isAlive = true
  })
  ws.on('ping', (data) => {
    if (ws.readyState === ws.OPEN && hasRoom()) ws.pong(data)
  })
  return () => clearInterval(ping)
}

/**
 * One client of a stream. A client that does not read costs a bounded buffer: beyond it log lines are dropped and counted,
 * a gap frame says how many, and after a while the connection is closed. Nobody else waits for it. Streams take no input, so a
 * client that sends messages, or more than a few pings, is closed too.
 */
export function createPeer(ws: WebSocket, socket: Duplex) {
  const ended = new AbortController()
  const input = watchInput(ws, socket)
  const buffer = createBuffer(ws, () => close(1013, SLOW))

  function close(code: number, reason: string): void {
    if (ended.signal.aborted) return
    ws.close(code, reason)
    // gives a client that was sent everything time to read it
    setTimeout(() => ws.terminate(), code === 1000 ? PATIENCE_MS : 2000).unref()
    end()
  }

  function end(): void {
    if (ended.signal.aborted) return
    stopPings()
    ended.abort()
  }

  const stopPings = keepAlive(ws, { hasRoom: buffer.hasRoom, onPing: input.countAnew })
  ws.on('message', () => close(1003, NO_INPUT))
  ws.on('close', end)
  ws.on('error', () => ws.terminate())

  function send(frame: Frame): void {
    if (ended.signal.aborted) return
    if (!buffer.hasRoom() && (frame.type === 'log' || frame.type === 'metrics')) {
      buffer.drop(1)
      return
    }
    buffer.sendGap(frame.timestamp)
    ws.send(JSON.stringify(frame))
  }

  /** For data that is not urgent: waits while the client is reading. */
  async function room(): Promise<void> {
    if (ended.signal.aborted || buffer.hasRoom()) return
    await once(socket, 'drain', { signal: AbortSignal.any([ended.signal, AbortSignal.timeout(PATIENCE_MS)]) }).catch(() => undefined)
  }

  /** Log lines for many sockets. Nothing is compressed, so every message of the library is complete on the wire before this is written. */
  function sendEncoded({ bytes, count, timestamp }: EncodedFrames): void {
    if (ended.signal.aborted || ws.readyState !== ws.OPEN) return
    if (!buffer.hasRoom()) {
      buffer.drop(count)
      return
    }
    buffer.sendGap(timestamp)
    socket.write(bytes)
  }

  /** Resolves when the client has received them, so that their memory can be reused; a client that never does is closed. */
  async function sendEncodedAndWait({ bytes, timestamp }: EncodedFrames): Promise<void> {
    if (ended.signal.aborted || ws.readyState !== ws.OPEN) return
    buffer.sendGap(timestamp)
    const timer = setTimeout(() => close(1013, SLOW), PATIENCE_MS)
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    clearTimeout(timer)
  }

  return { send, sendEncoded, sendEncodedAndWait, room, close, signal: ended.signal }
}

export type Peer = ReturnType<typeof createPeer>
