import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

type Failure = { readonly pattern: RegExp; readonly status: number; left: number }
type Delay = { readonly pattern: RegExp; readonly ms: number }
type Hold = { readonly pattern: RegExp; readonly until: Promise<unknown> }
type Moment = { readonly pattern: RegExp; readonly act: () => void }

/** The machine's own engine, or the one that DOCKER_HOST names, when it is a unix socket. */
export function engineSocketPath(): string {
  return /^unix:\/\/(.+)$/.exec(process.env['DOCKER_HOST'] ?? '')?.[1] ?? '/var/run/docker.sock'
}

/** The faults of a test: each names the calls it applies to. */
function createFaults() {
  const failures: Failure[] = []
  const delays: Delay[] = []
  const moments: Moment[] = []
  const losses: RegExp[] = []
  const holds: Hold[] = []

  return {
    /** For example `fail('POST /containers/*' + '/start', { status: 500, times: 1 })`; the version prefix is left out. */
    fail(pattern: string, failure: { status: number; times?: number }): void {
      failures.push({ pattern: patternOf(pattern), status: failure.status, left: failure.times ?? Number.POSITIVE_INFINITY })
    },
    delay(pattern: string, ms: number): void {
      delays.push({ pattern: patternOf(pattern), ms })
    },
    /** Once, when the next such request arrives and before it reaches the engine. */
    at(pattern: string, act: () => void): void {
      moments.push({ pattern: patternOf(pattern), act })
    },
    /** The engine executes the next such request, but the response is lost, with all other open connections. */
    lose(pattern: string): void {
      losses.push(patternOf(pattern))
    },
    /** The response to the next such request is not read until then, so the engine must wait. */
    hold(pattern: string, until: Promise<unknown>): void {
      holds.push({ pattern: patternOf(pattern), until })
    },
    /** Whether a fault that was planted has not happened yet. */
    isWaiting: () => failures.some(({ left }) => left > 0) || moments.length > 0 || losses.length > 0,
    clear(): void {
      for (const list of [failures, delays, moments, losses, holds]) list.length = 0
    },
    actAt: (request: string) => takeFirst(moments, ({ pattern }) => pattern.test(request))?.act(),
    failureOf: (request: string) => failures.find(({ pattern, left }) => left > 0 && pattern.test(request)),
    pauseOf: (request: string) => delays.find(({ pattern }) => pattern.test(request))?.ms ?? 0,
    holdOf: (request: string) => takeFirst(holds, ({ pattern }) => pattern.test(request))?.until,
    isLost: (request: string) => takeFirst(losses, (pattern) => pattern.test(request)) !== undefined,
  }
}

/** A real engine behind a socket that a test can cut, slow down, or make fail. */
export async function startEngineProxy(options: { target?: string } = {}) {
  const target = options.target ?? engineSocketPath()
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-engine-proxy-'))
  const socketPath = path.join(directory, 'engine.sock')
  const open = new Set<Socket>()
  const requests: string[] = []
  const faults = createFaults()
  let server: Server | null = null

  function serve(client: Socket): void {
    track(open, client)
    let head = Buffer.alloc(0)
    client.on('data', function onHead(chunk: Buffer) {
      head = Buffer.concat([head, chunk])
      if (!head.includes(END_OF_HEAD)) return
      client.off('data', onHead)
      client.pause()
      const request = requestOf(head.subarray(0, head.indexOf('\r\n')).toString())
      requests.push(request)
      faults.actAt(request)
      if (client.destroyed) return
      const failure = faults.failureOf(request)
      if (failure !== undefined) return refuse(client, failure)
      const fate = { isLost: faults.isLost(request), heldUntil: faults.holdOf(request) }
      setTimeout(() => forward(client, oneRequestOnly(head), fate), faults.pauseOf(request))
    })
  }

  function forward(
    client: Socket,
    head: Buffer,
    { isLost, heldUntil }: { isLost: boolean; heldUntil: Promise<unknown> | undefined },
  ): void {
    if (client.destroyed) return
    const upstream = connect(target)
    track(open, upstream)
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
    upstream.write(head)
    client.pipe(upstream)
    if (isLost) upstream.once('data', reset)
    else if (heldUntil === undefined) upstream.pipe(client)
    else void heldUntil.then(() => upstream.pipe(client))
  }

  async function restore(): Promise<void> {
    if (server !== null) return
    server = createServer({ allowHalfOpen: false }, serve)
    server.listen(socketPath)
    await once(server, 'listening')
  }

  /** As if the engine had died: open connections are reset, and no new ones are accepted. */
  async function cut(): Promise<void> {
    const closing = server
    server = null
    for (const socket of open) socket.destroy()
    if (closing === null) return
    closing.close()
    await once(closing, 'close')
  }

  /** Resets all open connections, and keeps serving. */
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
    ...faults,
    async [Symbol.asyncDispose](): Promise<void> {
      await cut()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type EngineProxy = Awaited<ReturnType<typeof startEngineProxy>>

const END_OF_HEAD = '\r\n\r\n'

/**
 * A client that sends several requests over one connection would hide all but the first; one that takes the connection over is left
 * alone.
 */
function oneRequestOnly(head: Buffer): Buffer {
  const end = head.indexOf(END_OF_HEAD)
  const [first = '', ...lines] = head.subarray(0, end).toString('latin1').split('\r\n')
  if (lines.some((line) => /^(connection:.*upgrade|upgrade:)/i.test(line))) return head
  const kept = lines.filter((line) => !/^connection:/i.test(line))
  return Buffer.concat([Buffer.from([first, ...kept, 'Connection: close'].join('\r\n'), 'latin1'), head.subarray(end)])
}

function takeFirst<Entry>(list: Entry[], fits: (entry: Entry) => boolean): Entry | undefined {
  const index = list.findIndex(fits)
  return index === -1 ? undefined : list.splice(index, 1)[0]
}

function requestOf(line: string): string {
  const [method = '', target = ''] = line.split(' ')
  return `${method} ${(target.split('?')[0] ?? '').replace(/^\/v\d+\.\d+(?=\/)/, '')}`
}

/** `*` is one part of a path, `**` is one or more. */
function patternOf(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replace(/\*\*?/g, (stars) => (stars === '**' ? '.+' : '[^/]+'))
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
