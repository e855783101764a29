import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, type TestContext } from 'vitest'
import { startTestEdge } from '../../testing/harness/test-edge.ts'
import { openEcho } from '../../testing/labs/edge-visitor.ts'

/** Of the 2,000 connections that a test's edge has. */
const SHARES = {
  connectionsOfSource: 125,
  connectionsOfProject: 62,
  requestsOfSource: 250,
  requestsOfApp: 1000,
  keptOpen: 750,
}

const run = promisify(execFile)

/** Root can create a network namespace; otherwise the test is skipped with the reason. */
async function crowd(context: TestContext, wanted: { crowd: string[]; each: number; visitor: string }) {
  const addresses = [...wanted.crowd, wanted.visitor].map(
    (address) => `ip addr add ${address}/${address.includes(':') ? '128 nodad' : '32'} dev lo`,
  )
  const script = ['ip link set lo up', ...addresses, 'exec "$@"'].join(' && ')
  const program = fileURLToPath(new URL('../../testing/labs/edge-crowd.ts', import.meta.url))
  const inside = ['--net', 'sh', '-c', script, 'sh', process.execPath, program, JSON.stringify(wanted)]
  const unavailable = await run('unshare', ['--net', 'ip', '-6', 'addr']).then(
    () => undefined,
    (cause: unknown) => `no network of its own can be made here: ${String(cause)}`,
  )
  if (unavailable !== undefined) return context.skip(unavailable)
  const { stdout } = await run('unshare', inside)
  return JSON.parse(stdout) as { taken: Record<string, number>; visitor: number } // what the program prints
}

const sumOf = (taken: Record<string, number>) => Object.values(taken).reduce((sum, each) => sum + each, 0)

/** `silent.test` and `other-silent.test` never answer; `one.test` answers, and echoes on sockets. */
async function startLab() {
  const edge = await startTestEdge()
  const servers = new Map<string, ReturnType<typeof createServer>>()
  const apps = []
  const answer: RequestListener = (_request, response) => response.end('the app')
  for (const [name, handle] of Object.entries({ silent: () => undefined, 'other-silent': () => undefined, one: answer })) {
    const server = createServer(handle).listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers.set(name, server)
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    const hosts = [{ host: `${name}.test`, redirectHttps: false, hsts: false }]
    apps.push({ appKey: name, hosts, targets: [{ ip: '127.0.0.1', port: address.port }] })
  }
  servers.get('one')?.on('upgrade', ({ headers }, socket: Socket) => {
    socket.on('error', () => undefined)
    const accept = hash('sha1', `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64')
    const lines = ['connection: upgrade', 'upgrade: websocket', `sec-websocket-accept: ${accept}`]
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
    socket.on('data', (frame: Buffer) => socket.write(Buffer.concat([Buffer.from([0x81, frame.length - 6]), frame.subarray(6)])))
  })
  await edge.edge.setRoutes({ apps })

  const visit = async (host: string, from = '127.0.0.99') => {
    const options = {
      host: '127.0.0.1',
      port: edge.httpPort,
      headers: { host, connection: 'keep-alive' },
      localAddress: from,
      signal: AbortSignal.timeout(10_000),
    }
    const [response] = (await once(request({ ...options, agent: false }).end(), 'response')) as [IncomingMessage] // the event's only argument
    response.resume()
    return response
  }

  /** Sends many requests at once over a few HTTP/2 connections and counts the responses; a silent app gives none. */
  function ask(host: string, from: string, count: number): { answers: number[] } {
    const answers: number[] = []
    for (let left = count; left > 0; left -= 100) {
      const createConnection = () => connect({ host: '127.0.0.1', port: edge.httpPort, localAddress: from })
      const session = connectHttp2('http://127.0.0.1', { createConnection }).on('error', () => undefined)
      for (let number = 0; number < Math.min(left, 100); number += 1) {
        const stream = session.request({ ':authority': host }).on('error', () => undefined)
        stream.on('response', (headers) => answers.push(headers[':status'] ?? 0))
      }
    }
    return { answers }
  }

  return {
    edge,
    visit,
    ask,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      for (const server of servers.values()) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

describe('connections', () => {
  it('of all IPv6 addresses that one customer has are counted together', async (context) => {
    const addresses = ['2001:db8:1::2', '2001:db8:1::3', '2001:db8:1:2::4', '2001:db8:1:ffff::5']
    const { taken, visitor } = await crowd(context, { crowd: addresses, each: 100, visitor: '2001:db8:2::1' })
    expect(sumOf(taken)).toBe(SHARES.connectionsOfSource)
    expect(visitor).toBe(200)
  })

  it('of containers end where they run low, however many projects they are of', async (context) => {
    const addresses = Array.from({ length: 15 }, (_, project) => (project === 0 ? '172.17.0.2' : `10.${224 + project}.1.2`))
    const { taken, visitor } = await crowd(context, { crowd: addresses, each: 62, visitor: '10.223.0.1' })
    expect(sumOf(taken)).toBe(SHARES.keptOpen)
    expect(visitor).toBe(200)
  })

  it('of the containers of one project leave those of other projects theirs', async (context) => {
    const { taken, visitor } = await crowd(context, { crowd: ['10.224.1.2', '10.224.1.3', '10.224.1.4'], each: 100, visitor: '10.224.2.2' })
    expect(sumOf(taken)).toBe(SHARES.connectionsOfProject)
    expect(visitor).toBe(200)
  })

  it('are not kept open for a next request while they run low, and sockets are opened all the same', async () => {
    await using lab = await startLab()
    expect((await lab.visit('one.test')).headers.connection).not.toBe('close')
    const taken: Socket[] = []
    for (let source = 1; taken.length < SHARES.keptOpen; source += 1)
      for (let number = 0; number < SHARES.connectionsOfSource; number += 1)
        taken.push(connect({ host: '127.0.0.1', port: lab.edge.httpPort, localAddress: `127.0.1.${source}` }))
    for (const socket of taken) if (socket.connecting) await once(socket, 'connect')
    await expect.poll(async () => (await lab.visit('one.test')).headers.connection, { timeout: 30_000 }).toBe('close')
    const { socket, say } = await openEcho(lab.edge, 'one.test')
    expect(await say('hello')).toBe('hello')
    for (const each of [socket, ...taken]) each.destroy()
  })
})

describe('requests', () => {
  it('of one source that wait for answers are limited, however few connections they come over', async () => {
    await using lab = await startLab()
    const asked = [lab.ask('silent.test', '127.0.0.2', 3000), lab.ask('other-silent.test', '127.0.0.2', 3000)]
    const answers = () => asked.flatMap((each) => each.answers)
    await expect.poll(() => answers().length, { timeout: 30_000 }).toBe(6000 - SHARES.requestsOfSource)
    expect(new Set(answers())).toEqual(new Set([429]))
    expect((await lab.visit('one.test')).statusCode).toBe(200)
  })

  it('that wait for answers of one app are limited, and other apps go on answering', async () => {
    await using lab = await startLab()
    const sources = Array.from({ length: 5 }, (_unused, number) => `127.0.0.${number + 2}`)
    const asked = sources.map((from) => lab.ask('silent.test', from, SHARES.requestsOfSource))
    const answers = () => asked.flatMap((each) => each.answers)
    await expect.poll(() => answers().length, { timeout: 30_000 }).toBe(sources.length * SHARES.requestsOfSource - SHARES.requestsOfApp)
    expect(new Set(answers())).toEqual(new Set([503]))
    expect((await lab.visit('silent.test')).statusCode).toBe(503)
    expect((await lab.visit('one.test')).statusCode).toBe(200)
  })
})
