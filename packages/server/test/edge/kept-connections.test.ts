import { once } from 'node:events'
import { Agent, createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { EdgeTarget } from '../../src/edge/edge.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

const HOST = 'kept.test'
const MOMENT_MS = 4

async function listening(server: Server): Promise<EdgeTarget> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { ip: '127.0.0.1', port: (server.address() as AddressInfo).port } // it listens on a port, not on a path
}

/** Answers, and closes the connection a moment later without notice, as apps do with idle connections. */
function closingApp(asked: () => void): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      asked()
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      setTimeout(() => socket.end(), Math.random() * MOMENT_MS)
    })
  })
}

/** The results of a visitor who sends the next request at about the moment the app closes the connection. */
async function visits(edge: TestEdge, method: string): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ends: string[] = []
  for (let number = 0; number < 25; number += 1) {
    const sent = request({ host: '127.0.0.1', port: edge.httpPort, method, headers: { host: HOST }, agent }).end()
    const [response] = (await once(sent, 'response').catch((error: unknown) => [error])) as [IncomingMessage | Error] // the event's only argument
    ends.push(response instanceof Error ? response.message : `${response.statusCode} ${await text(response)}`)
    await sleep(Math.random() * MOMENT_MS)
  }
  agent.destroy()
  return ends
}

it('loses no request, of whichever method, to an app that closes a kept connection while it comes; and repeats none that may change something', async () => {
  await using edge = await startTestEdge()
  let asked = 0
  const app = closingApp(() => (asked += 1))
  const hosts = [{ host: HOST, redirectHttps: false, hsts: false }]
  await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, targets: [await listening(app)] }] })
  for (const [method, mayRepeat] of [
    ['GET', true],
    ['HEAD', true],
    ['POST', false],
    ['DELETE', false],
  ] as const) {
    asked = 0
    const ends = (await Promise.all(Array.from({ length: 10 }, () => visits(edge, method)))).flat()
    const other = ends.filter((end) => !end.startsWith('200 '))
    expect([method, ends.length, other]).toEqual([method, 250, []])
    expect([method, mayRepeat || asked === 250]).toEqual([method, true])
  }
  app.close()
})

it('opens a socket on the release before where the new one does not listen', async () => {
  await using edge = await startTestEdge()
  const server = createHttpServer()
  new WebSocketServer({ server }).on('connection', (socket) => socket.on('message', (message) => socket.send(message)))
  const before = await listening(server)
  const hosts = [{ host: HOST, redirectHttps: false, hsts: false }]
  const dead = { ip: '127.0.0.1', port: await freePort() }
  await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, targets: [dead], fallback: [before] }] })
  const socket = new WebSocket(`ws://127.0.0.1:${edge.httpPort}/`, { headers: { host: HOST } })
  await once(socket, 'open')
  socket.send('hello')
  const [message] = (await once(socket, 'message')) as [Buffer] // the event's first argument
  expect(message.toString()).toBe('hello')
  socket.close()
  await once(socket, 'close')
  server.close()
})
