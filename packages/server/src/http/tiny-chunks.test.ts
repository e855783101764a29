import { createServer, type IncomingMessage, type Server } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listenAndConnect, type RawConnection } from '../../testing/harness/raw-connection.ts'
import { refuseTinyChunks } from './tiny-chunks.ts'

let server: Server
let connection: RawConnection
let requests: IncomingMessage[] = []

beforeEach(async () => {
  requests = []
  server = createServer()
  const take = (request: IncomingMessage) => requests.push(request)
  server.on('request', take).on('checkExpectation', take)
  refuseTinyChunks(server)
  connection = await listenAndConnect(server)
})
afterEach(async () => {
  connection.socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function send(chunks: number, bytes: number, headers = ''): void {
  const body = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(chunks)
  connection.socket.write(`POST / HTTP/1.1\r\nHost: berth.test\r\nTransfer-Encoding: chunked\r\n${headers}\r\n${body}0\r\n\r\n`)
}

it.each(['', 'Expect: the-unexpected\r\n'])(
  'a body in chunks of one byte is not kept, and its connection is closed (%j)',
  async (headers) => {
    send(60_000, 1, headers)
    await connection.closed
    expect(requests[0]?.readableLength).toBeLessThan(1000)
  },
)

it.each([
  [200, 1],
  [1000, 64],
])('a body in %i chunks of %i bytes is read', async (chunks, bytes) => {
  send(chunks, bytes)
  await expect.poll(() => requests.length).toBe(1)
  let read = 0
  for await (const chunk of requests[0] ?? []) read += (chunk as Buffer).length // without an encoding it gives buffers
  expect(read).toBe(chunks * bytes)
})
