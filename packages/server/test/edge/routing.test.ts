import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { EdgeApp, EdgePage, EdgeTarget } from '../../src/edge/edge.ts'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

type Backend = AsyncDisposable & { target: EdgeTarget; server: Server }
type Answer = { status: number; headers: IncomingMessage['headers']; body: string }

async function startBackend(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<Backend> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    server,
    target: { ip: '127.0.0.1', port: address.port },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const named = (name: string) => startBackend((_req, res) => res.end(name))
const hostName = (host: string) => ({ host, redirectHttps: true, hsts: true })
function app(appKey: string, hosts: string[], served: { targets?: EdgeTarget[]; page?: EdgePage }): EdgeApp {
  return { appKey, hosts: hosts.map(hostName), targets: served.targets ?? [], ...(served.page === undefined ? {} : { page: served.page }) }
}

async function ask(
  edge: TestEdge,
  host: string,
  options: { path?: string; headers?: Record<string, string>; method?: string; body?: Buffer } = {},
) {
  const req = request({
    host: '127.0.0.1',
    port: edge.httpPort,
    path: options.path ?? '/',
    method: options.method ?? 'GET',
    headers: { ...options.headers, host },
    agent: false,
  })
  req.end(options.body)
  const [res] = (await once(req, 'response')) as [IncomingMessage] // the event's only argument
  const answer: Answer = { status: res.statusCode ?? 0, headers: res.headers, body: await text(res) }
  return answer
}

describe('a host', () => {
  it('reaches its own app, whatever its case, port and trailing dot', async () => {
    await using edge = await startTestEdge()
    await using one = await named('one')
    await using two = await named('two')
    await edge.edge.setRoutes({
      apps: [app('a1', ['one.test'], { targets: [one.target] }), app('a2', ['Two.test'], { targets: [two.target] })],
      dashboard: { host: hostName('dash.test'), target: two.target },
    })
    for (const host of ['one.test', 'ONE.Test', 'one.test.', 'one.test:8080', 'One.Test.:80']) {
      expect((await ask(edge, host)).body, host).toBe('one')
    }
    expect((await ask(edge, 'two.test')).body).toBe('two')
    expect((await ask(edge, 'dash.test')).body).toBe('two')
    expect((await ask(edge, 'three.test')).status).toBe(404)
    expect((await ask(edge, 'one.test:80@evil.test')).status).toBe(400)
    expect(edge.edge.state()).toEqual({ state: 'ready', message: 'The proxy is running.', refused: [] })
  })

  it('that is hostile is refused with a sentence while every other route answers', async () => {
    await using edge = await startTestEdge()
    await using one = await named('one')
    const hostile = [
      '*.x.test',
      'a.test b.test',
      'a.test\nevil.test a1',
      '{x}.test',
      '`id`.test',
      '10.0.0.1',
      'localhost',
      `${'a'.repeat(250)}.test`,
    ]
    await edge.edge.setRoutes({
      apps: [
        app('a1', ['one.test'], { targets: [one.target] }),
        app('a2', [...hostile, 'ONE.test', 'DASH.test.'], { targets: [one.target] }),
        app('a3', ['three.test'], { targets: [{ ip: '10.0.0.1 x', port: 80 }] }),
      ],
      dashboard: { host: hostName('dash.test'), target: one.target },
    })
    expect(edge.edge.state().refused).toHaveLength(hostile.length + 3)
    expect((await ask(edge, 'one.test')).body).toBe('one')
    expect((await ask(edge, 'evil.test')).status).toBe(404)
  })

  it('is one host: a request that names two of them reaches nobody', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend((req, res) => res.end(req.rawHeaders.join(' ')))
    await edge.edge.setRoutes({ apps: [app('a1', ['one.test'], { targets: [one.target] })] })
    const send = async (head: string) => {
      const socket = connectTcp(edge.httpPort, '127.0.0.1')
      socket.write(`${head}\r\nconnection: close\r\n\r\n`)
      return await text(socket)
    }
    expect(await send('GET / HTTP/1.1\r\nhost: one.test\r\nhost: evil.test')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await send('GET / HTTP/1.1\r\nhost: evil.test\r\nhost: one.test')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await send('GET http://evil.test/ HTTP/1.1\r\nhost: one.test')).toMatch(/^HTTP\/1\.1 400 /)
    const twice = await send('GET / HTTP/1.1\r\nhost: one.test\r\nhost: one.test')
    expect(twice.match(/one\.test/g)).toHaveLength(2) // the host, and what the edge says of it
    const session = connectHttp2(`https://127.0.0.1:${edge.httpsPort}`, { rejectUnauthorized: false, servername: 'one.test' })
    const seen = await text(session.request({ ':path': '/', ':authority': 'one.test', host: 'evil.test' }))
    session.close()
    expect(seen).not.toContain('evil.test')
  })

  it('never shares a connection to a server with another app', async () => {
    await using edge = await startTestEdge()
    await using one = await named('one')
    await using two = await named('two')
    await edge.edge.setRoutes({
      apps: [app('a1', ['one.test'], { targets: [one.target] }), app('a2', ['two.test'], { targets: [two.target] })],
    })
    const session = connectHttp2(`https://127.0.0.1:${edge.httpsPort}`, { rejectUnauthorized: false, servername: 'one.test' })
    const get = async (authority: string) => {
      const stream = session.request({ ':path': '/', ':authority': authority })
      stream.setEncoding('utf8')
      return text(stream)
    }
    for (let round = 0; round < 50; round += 1) {
      const bodies = await Promise.all([get('one.test'), get('two.test'), get('one.test'), get('two.test')])
      expect(bodies).toEqual(['one', 'two', 'one', 'two'])
    }
    session.close()
  })
})

describe('an app', () => {
  it('is told the visitor by the edge and never by the visitor', async () => {
    await using edge = await startTestEdge()
    await using echo = await startBackend((req, res) => res.end(JSON.stringify(req.headers)))
    await edge.edge.setRoutes({ apps: [app('a1', ['echo.test'], { targets: [echo.target] })] })
    const forged = {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil',
      forwarded: 'for=6.6.6.6',
      'x-forwarded-user': 'root',
    }
    const { body } = await ask(edge, 'echo.test', { headers: { ...forged, 'x-real-ip': '6.6.6.6', proxy: 'evil' } })
    const seen: unknown = JSON.parse(body)
    expect(seen).toEqual({
      host: 'echo.test',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'echo.test',
    })
  })

  it('compresses for itself, and the edge passes that on untouched', async () => {
    await using edge = await startTestEdge()
    const packed = gzipSync('hello')
    await using zipped = await startBackend((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    await edge.edge.setRoutes({ apps: [app('a1', ['zip.test'], { targets: [zipped.target] })] })
    const answer = await ask(edge, 'zip.test', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(answer.headers['content-length'] ?? String(packed.length)).toBe(String(packed.length))
  })

  it('hears that a visitor has left its stream', async () => {
    await using edge = await startTestEdge()
    let left = 0
    await using live = await startBackend((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('data: first\n\n')
      res.on('close', () => (left += 1))
    })
    await edge.edge.setRoutes({ apps: [app('a1', ['live.test'], { targets: [live.target] })] })
    const req = request({
      host: '127.0.0.1',
      port: edge.httpPort,
      headers: { host: 'live.test', accept: 'text/event-stream' },
      agent: false,
    })
    req.on('error', () => undefined)
    req.end()
    await once(req, 'response')
    req.destroy()
    await expect.poll(() => left, { timeout: 10_000 }).toBe(1)
  })

  it('with several replicas gets visitors on each of them', async () => {
    await using edge = await startTestEdge()
    await using one = await named('one')
    await using two = await named('two')
    await edge.edge.setRoutes({ apps: [app('a1', ['one.test'], { targets: [one.target, two.target] })] })
    const bodies = new Set<string>()
    for (let n = 0; n < 60; n += 1) bodies.add((await ask(edge, 'one.test')).body)
    expect([...bodies].sort()).toEqual(['one', 'two'])
  })

  it('takes a large upload whole and refuses too large headers', async () => {
    await using edge = await startTestEdge()
    let received = 0
    await using sink = await startBackend((req, res) => {
      req.on('data', (chunk: Buffer) => (received += chunk.length))
      req.on('end', () => res.end('taken'))
    })
    await edge.edge.setRoutes({ apps: [app('a1', ['sink.test'], { targets: [sink.target] })] })
    const size = 50_000_000
    expect((await ask(edge, 'sink.test', { method: 'POST', body: Buffer.alloc(size) })).body).toBe('taken')
    expect(received).toBe(size)
    expect((await ask(edge, 'sink.test', { headers: { cookie: 'x'.repeat(40_000) } })).status).toBe(400)
  })

  it('keeps a quiet stream and a quiet socket open beyond the usual time-outs', async () => {
    await using edge = await startTestEdge({ timeouts: { clientMs: 500, serverMs: 500 } })
    await using backend = await startBackend((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('data: first\n\n')
      setTimeout(() => res.end('data: last\n\n'), 1_500)
    })
    const sockets = new WebSocketServer({ server: backend.server })
    sockets.on('connection', (socket) => socket.on('message', (message) => setTimeout(() => socket.send(message), 1_500)))
    await edge.edge.setRoutes({ apps: [app('a1', ['live.test'], { targets: [backend.target] })] })
    const socket = new WebSocket(`ws://127.0.0.1:${edge.httpPort}`, { headers: { host: 'live.test' } })
    await once(socket, 'open')
    const echoed = once(socket, 'message')
    socket.send('hello')
    const stream = ask(edge, 'live.test', { headers: { accept: 'text/event-stream' } })
    expect(await edge.edge.inFlight([backend.target])).toBeGreaterThan(0)
    expect(String((await echoed)[0])).toBe('hello')
    expect((await stream).body).toBe('data: first\n\ndata: last\n\n')
    socket.close()
    await once(socket, 'close')
    await expect.poll(() => edge.edge.inFlight([backend.target])).toBe(0)
  })

  it('that cannot serve has a page that says why, for people and for programs', async () => {
    await using edge = await startTestEdge({ timeouts: { serverMs: 1500, connectMs: 300 } })
    await using silent = await startBackend(() => undefined)
    const nobody = await named('gone')
    await nobody[Symbol.asyncDispose]()
    await edge.edge.setRoutes({
      apps: [
        app('a1', ['stopped.test'], { page: 'stopped' }),
        app('a2', ['starting.test'], { page: 'starting', targets: [silent.target] }),
        app('a3', ['down.test'], {}),
        app('a4', ['silent.test'], { targets: [silent.target] }),
        app('a5', ['gone.test'], { targets: [nobody.target] }),
      ],
    })
    const expected = [
      ['none.test', 404, 'no_such_app', undefined],
      ['stopped.test', 503, 'app_stopped', '60'],
      ['starting.test', 503, 'app_starting', '5'],
      ['down.test', 503, 'app_down', '30'],
      ['silent.test', 504, 'app_too_slow', '30'],
      ['gone.test', 502, 'app_not_answering', '10'],
    ] as const
    await Promise.all(
      expected.map(async ([host, status, code, retryAfter]) => {
        const forPrograms = await ask(edge, host, { headers: { accept: 'application/json' } })
        expect({ host, status: forPrograms.status, retryAfter: forPrograms.headers['retry-after'] }).toEqual({ host, status, retryAfter })
        expect(JSON.parse(forPrograms.body)).toMatchObject({ error: { code } })
        const forPeople = await ask(edge, host, { headers: { accept: 'text/html,*/*' } })
        expect(forPeople.status).toBe(status)
        expect(forPeople.body).toContain('<!doctype html>')
        const head = await ask(edge, host, { method: 'HEAD' })
        expect({ host, status: head.status, body: head.body }).toEqual({ host, status, body: '' })
      }),
    )
  })
})

describe('cookies of an app that has neighbours', () => {
  it('are for its own host, whatever domain they name, and those of other hosts stay as they are', async () => {
    const lines = [
      ['a=1', 'a=1'],
      ['a=1; Path=/; HttpOnly', 'a=1; Path=/; HttpOnly'],
      ['a=1; Domain=apps.test; Path=/; Secure', 'a=1; Path=/; Secure'],
      ['a=1;dOmAiN = .apps.test', 'a=1'],
      ['a=1; Path=/;\tdomain\t=apps.test; Max-Age=9', 'a=1; Path=/; Max-Age=9'],
      ['a=1; Domain=x.test; Path=/; Domain=apps.test; Secure', 'a=1'],
      [`a=1${'; Domain=apps.test'.repeat(200)}`, 'a=1'],
      ['domain=apps.test; Path=/x', 'domain=apps.test; Path=/x'],
      ['a="domain=apps.test"; Comment=subdomain=1; Path=/', 'a="domain=apps.test"; Comment=subdomain=1; Path=/'],
    ] as const
    const sent = lines.map(([line]) => line)
    await using edge = await startTestEdge()
    await using backend = await startBackend((_req, res) => res.writeHead(200, { 'set-cookie': sent }).end())
    const shared = { ...app('a1', [], { targets: [backend.target] }), hosts: [{ ...hostName('shop.apps.test'), hasNeighbours: true }] }
    await edge.edge.setRoutes({ apps: [shared, app('a2', ['own.test'], { targets: [backend.target] })] })
    for (const method of ['GET', 'POST'])
      expect((await ask(edge, 'shop.apps.test', { method })).headers['set-cookie']).toEqual(lines.map(([, expected]) => expected))
    expect((await ask(edge, 'own.test')).headers['set-cookie']).toEqual(sent)
  })
})

describe('the sessions of the dashboard', () => {
  const echo = () => startBackend((req, res) => res.end(JSON.stringify(req.headers.cookie ?? null)))
  const session = 'abc.def-ghi_jkl'

  it('never reach an app, and its own cookies do', async () => {
    await using edge = await startTestEdge()
    await using shop = await echo()
    await using dashboard = await echo()
    const routes = {
      apps: [app('shop', ['shop.test'], { targets: [shop.target] })],
      dashboard: { host: hostName('dash.test'), target: dashboard.target },
    }
    await edge.edge.setRoutes(routes)
    const cookieAt = async (host: string, cookie: string) =>
      JSON.parse((await ask(edge, host, { headers: { cookie } })).body) as string | null // written above
    expect(await cookieAt('shop.test', 'theme=dark; lang=en')).toBe('theme=dark; lang=en')
    for (const cookie of [
      `berth_session=${session}`,
      `__Host-berth_session=${session}`,
      `berth_session=${session}; __Host-berth_session=${session}`,
      `theme=dark; berth_session=${session}; lang=en`,
      `theme=dark;berth_session=${session};berth_session=${session}`,
    ]) {
      const seen = (await cookieAt('shop.test', cookie)) ?? ''
      expect(seen).not.toContain(session)
      expect(seen.includes('theme=dark')).toBe(cookie.includes('theme=dark'))
      expect(seen.includes('lang=en')).toBe(cookie.includes('lang=en'))
      expect(await cookieAt('dash.test', cookie)).toBe(cookie)
    }
  })
})
