import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

async function withApp(handle: RequestListener) {
  const edge = await startTestEdge()
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const hosts = [{ host: 'one.test', redirectHttps: true, hsts: true }]
  await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, targets: [{ ip: '127.0.0.1', port: address.port }] }] })
  return {
    edge,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The bytes as they are, and the whole answer. */
async function send(edge: TestEdge, lines: readonly string[]): Promise<string> {
  const socket = connect(edge.httpPort, '127.0.0.1')
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return await text(socket)
}

const echo: RequestListener = (req, res) => res.end(JSON.stringify(req.headers))
const seenBy = async (edge: TestEdge, headers: readonly string[], method = 'GET') => {
  const answer = await send(edge, [`${method} / HTTP/1.1`, 'host: one.test', ...headers, 'connection: close'])
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')).replaceAll(/\r\n[0-9a-f]*\r\n/g, '')) as IncomingMessage['headers'] // our own echo
}

describe('a visitor', () => {
  it('cannot have an app told a host that holds more than a name and a port', async () => {
    await using lab = await withApp(echo)
    for (const host of [
      'evil.test/,one.test',
      'evil.test:1@x,one.test:1',
      'one.test, one.test',
      'one.test/evil',
      'one.test\0evil.test',
      '',
    ])
      expect(await send(lab.edge, ['GET / HTTP/1.1', `host: ${host}`, 'connection: close']), host).toMatch(/^HTTP\/1\.1 400 /)
    expect(await send(lab.edge, ['GET / HTTP/1.1', 'host: ONE.test.:80', 'connection: close'])).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('cannot say about itself what the edge says, however the header is spelt', async () => {
    await using lab = await withApp(echo)
    const forged = ['X_Forwarded_For', 'X-Forwarded_Proto', 'X-Forwarded', 'x_real_ip', 'X-Forwarded-Anything', 'Forwarded', 'Proxy']
    const lines = forged.map((name) => `${name}: 6.6.6.6`)
    for (const seen of [await seenBy(lab.edge, lines), await seenBy(lab.edge, lines, 'DELETE')]) {
      expect(
        Object.keys(seen)
          .filter((name) => name !== 'connection')
          .sort(),
      ).toEqual(['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])
      expect(seen['x-forwarded-for']).toBe('127.0.0.1')
    }
  })

  it('cannot have the app drop it, nor talk to the app through a tunnel that is no WebSocket', async () => {
    await using lab = await withApp(echo)
    expect(await seenBy(lab.edge, ['connection: X-Forwarded-For'])).not.toHaveProperty('connection')
    const upgrade = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAARAAAAAAAIAAAAA']
    for (const method of ['GET', 'POST']) expect(await seenBy(lab.edge, upgrade, method)).not.toHaveProperty('upgrade')
    const both = [...upgrade, 'upgrade: websocket', 'sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==']
    expect(await seenBy(lab.edge, both)).not.toHaveProperty('upgrade')
    expect(await send(lab.edge, ['CONNECT one.test:80 HTTP/1.1', 'host: one.test:80', 'connection: close'])).toMatch(/^HTTP\/1\.1 405 /)
  })

  it('cannot announce a length that two programs read differently', async () => {
    let asked = 0
    await using lab = await withApp((_req, res) => res.end(String((asked += 1))))
    for (const length of ['18446744073709551616', '18446744073709551619', '184467440737095516160'])
      for (const method of ['GET', 'POST'])
        expect(await send(lab.edge, [`${method} / HTTP/1.1`, 'host: one.test', `content-length: ${length}`])).toMatch(/^HTTP\/1\.1 400 /)
    expect(asked).toBe(0)
  })

  it('cannot read what the edge keeps beside the answers to an authority', async () => {
    await using lab = await withApp((_req, res) => res.end('the app'))
    const answer = await send(lab.edge, ['GET /.well-known/acme-challenge/@instance HTTP/1.1', 'host: one.test', 'connection: close'])
    expect(answer).toContain('the app')
  })

  it('cannot take all the connections there are from one address', async () => {
    await using lab = await withApp((_req, res) => res.end('the app'))
    const taken: Socket[] = []
    for (let number = 0; number < 600; number += 1) taken.push(connect(lab.edge.httpPort, '127.0.0.1').on('error', () => undefined))
    await expect.poll(() => taken.filter((socket) => socket.closed).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(100)
    const options = { host: '127.0.0.1', port: lab.edge.httpPort, headers: { host: 'one.test' }, agent: false }
    const [refused] = await Promise.allSettled([once(request({ ...options }).end(), 'response')])
    expect(refused.status).toBe('rejected')
    const [answer] = (await once(request({ ...options, localAddress: '127.0.0.2' }).end(), 'response')) as [IncomingMessage] // the event's only argument
    expect(await text(answer)).toBe('the app')
    for (const socket of taken) socket.destroy()
  })
})
