// Many sockets on one deployment's stream, from a process of its own. It walks the frames without parsing what is in them, and reads the
// time in one line of each chunk, so that it costs less than the server it measures. Prints one line of JSON.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { percentile } from './numbers.ts'

export type StreamRequest = { url: string; path: string; cookie: string; sockets: number }
export type StreamResult = {
  opened: number
  closed: number
  fewest: number
  most: number
  gaps: number
  lagP50Ms: number
  lagP99Ms: number
  lagMaxMs: number
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** Seconds since the machine started: the line carries the same clock, read where it was printed. */
function uptime(): number {
  return Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0])
}

type Counted = { lines: number; gaps: number; hasOpened: boolean; hasClosed: boolean }

/** The whole frames at the beginning of what came, and where they end. */
function walk(bytes: Buffer, each: (start: number, end: number, code: number) => void): number {
  let at = 0
  for (;;) {
    if (bytes.length - at < 2) return at
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const header = short === 126 ? 4 : short === 127 ? 10 : 2
    if (bytes.length - at < header) return at
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short
    const end = at + header + length
    if (end > bytes.length) return at
    each(at + header, end, (bytes[at] ?? 0) & 0x0f)
    at = end
  }
}

async function follow(request: StreamRequest, lags: number[]): Promise<Counted> {
  const { hostname, port } = new URL(request.url)
  const counted: Counted = { lines: 0, gaps: 0, hasOpened: false, hasClosed: false }
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET ${request.path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${request.cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  let rest = Buffer.alloc(0)
  let newest = ''
  const each = (bytes: Buffer) => (start: number, end: number, code: number) => {
    if (code === 8) counted.hasClosed = true
    if (code !== 1) return
    const kind = bytes.toString('latin1', start + 9, start + 12) // {"type":"log"…
    if (kind === 'log') counted.lines += 1
    if (kind === 'gap') counted.gaps += 1
    if (kind === 'log') newest = bytes.toString('latin1', start, end)
  }
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!counted.hasOpened) {
      const end = rest.indexOf(HEAD_END)
      if (end === -1) return
      counted.hasOpened = rest.toString('latin1', 9, 12) === '101'
      rest = rest.subarray(end + 4)
    }
    newest = ''
    rest = rest.subarray(walk(rest, each(rest)))
    const printedAt = /"line":"[^"]*\bt(\d+\.\d+) x/.exec(newest)?.[1]
    if (printedAt !== undefined) lags.push((uptime() - Number(printedAt)) * 1000)
    if (counted.hasClosed) socket.end()
  })
  await new Promise((resolve) => socket.once('close', resolve).once('error', resolve))
  return counted
}

const request = JSON.parse(process.argv[2] ?? '{}') as StreamRequest // written by the bench that starts this
const lags: number[] = []
const all = await Promise.all(Array.from({ length: request.sockets }, async () => await follow(request, lags)))
const result: StreamResult = {
  opened: all.filter(({ hasOpened }) => hasOpened).length,
  closed: all.filter(({ hasClosed }) => hasClosed).length,
  fewest: Math.min(...all.map(({ lines }) => lines)),
  most: Math.max(...all.map(({ lines }) => lines)),
  gaps: all.reduce((sum, { gaps }) => sum + gaps, 0),
  lagP50Ms: percentile(lags, 0.5),
  lagP99Ms: percentile(lags, 0.99),
  lagMaxMs: Math.max(...lags),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
