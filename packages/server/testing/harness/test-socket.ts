import { text } from 'node:stream/consumers'
import { type SocketName, sockets } from '@berth/contract'
import { Compile } from 'typebox/compile'
import { WebSocket } from 'ws'

export type Frame = { type: string; timestamp: string; seq?: number; data: Record<string, unknown> }
type Refused = { status: number; body: string }
export type SocketOptions = { cookie?: string; headers?: Record<string, string>; input?: Record<string, string | number> }

function addressOf(name: SocketName, baseUrl: string, input: Record<string, string | number>): string {
  let { path }: { path: string } = sockets[name]
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(input)) {
    if (path.includes(`:${key}`)) path = path.replace(`:${key}`, encodeURIComponent(value))
    else query.set(key, String(value))
  }
  return `${baseUrl.replace('http', 'ws')}${path}${query.size > 0 ? `?${query.toString()}` : ''}`
}

/** Opens a socket of the contract. Each frame is checked against its schema; a refused upgrade says the status. */
export async function openSocket(name: SocketName, baseUrl: string, options: SocketOptions = {}) {
  const headers = { ...(options.cookie === undefined ? {} : { cookie: options.cookie }), ...options.headers }
  const ws = new WebSocket(addressOf(name, baseUrl, options.input ?? {}), { headers })
  const validator = Compile(sockets[name].frame)
  const frames: Frame[] = []
  const problems: string[] = []
  let changed = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<number>()
  const opened = Promise.withResolvers<Refused | undefined>()

  ws.on('message', (message: Buffer) => {
    const frame = JSON.parse(message.toString()) as Frame // checked in the next line
    if (!validator.Check(frame)) problems.push(message.toString())
    frames.push(frame)
    changed.resolve()
    changed = Promise.withResolvers()
  })
  ws.on('open', () => opened.resolve(undefined))
  ws.on('unexpected-response', (_request, response) => {
    text(response).then((body) => opened.resolve({ status: response.statusCode ?? 0, body }), opened.reject)
  })
  ws.on('error', (error) => opened.reject(error))
  ws.on('close', (code) => {
    closed.resolve(code)
    changed.resolve()
  })
  const refused = await opened.promise

  /** The first frame, past or to come, that fits. */
  async function waitFor(fits: (frame: Frame) => boolean, limitMs = 30_000): Promise<Frame> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const found = frames.find(fits)
      if (found) return found
      const left = deadline - performance.now()
      if (left <= 0 || ws.readyState === ws.CLOSED) throw new Error(`no such frame on ${name}; seen: ${JSON.stringify(frames.slice(-10))}`)
      await Promise.race([changed.promise, new Promise((resolve) => setTimeout(resolve, Math.min(left, 250)))])
    }
  }

  return {
    status: refused?.status ?? 101,
    body: refused?.body ?? '',
    frames,
    problems,
    waitFor,
    closed: closed.promise,
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    async [Symbol.asyncDispose](): Promise<void> {
      if (refused) return
      ws.terminate()
      await closed.promise
    },
  }
}
