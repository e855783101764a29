import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

type Failure = { readonly pattern: RegExp; readonly status: number; left: number }
type Delay = { readonly pattern: RegExp; readonly ms: number }

/** The machine's own engine, or the one that DOCKER_HOST names, when it is a unix socket. */
export function engineSocketPath(): string {
  return /^unix:\/\/(.+)$/.exec(process.env['DOCKER_HOST'] ?? '')?.[1] ?? '/var/run/docker.sock'
}

/** A real engine behind a socket that a test can cut, slow down, or make fail. */
export async function startEngineProxy(options: { target?: string } = {}) {
  const target = options.target ?? engineSocketPath()
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-engine-proxy-'))
  const socketPath = path.join(directory, 'engine.sock')
  const open = new Set<Socket>()
  const requests: string[] = []
  const failures: Failure[] = []
  const delays: Delay[] = []
  let server: Server | null = null

  function serve(client: Socket): void {
    track(open, client)
    let head = Buffer.alloc(0)
    // Each connection of our transport carries one request, so only its first line is of interest.
    client.on('data', function onHead(chunk: Buffer) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n')
      if (end === -1) return
      client.off('data', onHead)
      client.pause()
      const line = head.subarray(0, end).toString()
      const request = requestOf(line)
      requests.push(request)
      const failure = failures.find(({ pattern, left }) => left > 0 && pattern.test(request))
      if (failure !== undefined) return refuse(client, failure)
      const pause = delays.find(({ pattern }) => pattern.test(request))?.ms ?? 0
      setTimeout(() => forward(client, head), pause)
    })
  }

  function forward(client: Socket, head: Buffer): void {
    if (client.destroyed) return
    const upstream = connect(target)
    track(open, upstream)
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
    upstream.write(head)
    client.pipe(upstream)
    upstream.pipe(client)
  }

  async function restore(): Promise<void> {
    if (server !== null) return
    server = createServer({ allowHalfOpen: false }, serve)
    server.listen(socketPath)
    await once(server, 'listening')
  }

  /** As if the engine had died: what is open is reset, and nothing new is accepted. */
  async function cut(): Promise<void> {
    const closing = server
    server = null
    for (const socket of open) socket.destroy()
    if (closing === null) return
    closing.close()
    await once(closing, 'close')
  }

  /** Resets what is open now, and goes on serving. */
  function reset(): void {
    for (const socket of open) socket.destroy()
  }

  await restore()
  return {
    socketPath,
    address: { socketPath },
    requests,
    cut,
    restore,
    reset,
    /** For example `fail('POST /containers/*' + '/start', { status: 500, times: 1 })`; the version prefix is left out. */
    fail(pattern: string, failure: { status: number; times?: number }): void {
      failures.push({ pattern: patternOf(pattern), status: failure.status, left: failure.times ?? Number.POSITIVE_INFINITY })
    },
    delay(pattern: string, ms: number): void {
      delays.push({ pattern: patternOf(pattern), ms })
    },
    clear(): void {
      failures.length = 0
      delays.length = 0
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await cut()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type EngineProxy = Awaited<ReturnType<typeof startEngineProxy>>

function requestOf(line: string): string {
  const [method = '', target = ''] = line.split(' ')
  return `${method} ${(target.split('?')[0] ?? '').replace(/^\/v\d+\.\d+(?=\/)/, '')}`
}

function patternOf(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '[^/]+')
  return new RegExp(`^${escaped}$`)
}

function refuse(client: Socket, failure: Failure): void {
  failure.left -= 1
  const body = JSON.stringify({ message: 'a fault made by the test' })
  client.end(
    `HTTP/1.1 ${failure.status} Fault\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
  client.resume()
}

function track(open: Set<Socket>, socket: Socket): void {
  open.add(socket)
  socket.on('error', () => undefined) // a reset is what these tests are about
  socket.once('close', () => open.delete(socket))
}
