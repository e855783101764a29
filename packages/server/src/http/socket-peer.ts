import type { WebSocket } from 'ws'

const PING_MS = 30_000
const BUFFER_BYTES = 1024 * 1024
const PATIENCE_MS = 15_000

type Frame = { type: string; timestamp: string; data: unknown; seq?: number }

/**
 * One client of a stream. A client that does not read costs a bounded buffer: beyond it log lines are dropped and counted,
 * a gap frame says how many, and after a while the connection is closed. Nobody else waits for it.
 */
export function createPeer(ws: WebSocket) {
  const ended = new AbortController()
  let isAlive = true
  let dropped = 0
  let fullSince: number | undefined

  function close(code: number, reason: string): void {
    if (ended.signal.aborted) return
    ws.close(code, reason)
    setTimeout(() => ws.terminate(), 2000).unref()
    end()
  }

  function end(): void {
    if (ended.signal.aborted) return
    clearInterval(ping)
    ended.abort()
  }

  const ping = setInterval(() => {
    if (!isAlive) return ws.terminate()
    isAlive = false
    ws.ping()
  }, PING_MS)
  ws.on('pong', () => {
    isAlive = true
  })
  ws.on('close', end)
  ws.on('error', () => ws.terminate())

  function hasRoom(): boolean {
    if (ws.bufferedAmount < BUFFER_BYTES) {
      fullSince = undefined
      return true
    }
    fullSince ??= performance.now()
    if (performance.now() - fullSince > PATIENCE_MS) close(1013, 'this client reads too slowly')
    return false
  }

  function send(frame: Frame): void {
    if (ended.signal.aborted) return
    if (!hasRoom() && (frame.type === 'log' || frame.type === 'metrics')) {
      dropped += 1
      return
    }
    if (dropped > 0) {
      ws.send(JSON.stringify({ type: 'gap', timestamp: frame.timestamp, data: { lines: dropped } }))
      dropped = 0
    }
    ws.send(JSON.stringify(frame))
  }

  return { send, close, signal: ended.signal }
}

export type Peer = ReturnType<typeof createPeer>
