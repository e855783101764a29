import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listenAndConnect, type RawConnection } from '../../testing/harness/raw-connection.ts'
import { handleInTurn } from './pipelined-requests.ts'

let server: Server
let handled: { url: string; response: ServerResponse }[] = []
let upgrades = 0
let connection: RawConnection

beforeEach(async () => {
  handled = []
  upgrades = 0
  server = createServer({ requireHostHeader: false })
  handleInTurn(server, (request, response) => handled.push({ url: request.url ?? '', response }))
  server.on('upgrade', (_request, socket) => {
    if (!socket.destroyed) upgrades += 1
    socket.destroy()
  })
  connection = await listenAndConnect(server)
})
afterEach(async () => {
  connection.socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${headers}\r\n`
const urls = () => handled.map(({ url }) => url)

it('handles the next request of a connection when the answer before it is done', async () => {
  connection.socket.write(get('/1') + get('/2') + get('/3', 'Expect: the-unexpected\r\n'))
  for (const seen of [['/1'], ['/1', '/2'], ['/1', '/2', '/3']]) {
    await expect.poll(urls).toEqual(seen)
    handled.at(-1)?.response.end(`answer to ${seen.at(-1)}`)
  }
  await expect.poll(() => connection.answer()).toMatch(/answer to \/1[^]*answer to \/2[^]*answer to \/3/)
  connection.socket.write(get('/4'))
  await expect.poll(urls).toEqual(['/1', '/2', '/3', '/4'])
})

it.each(['', 'Expect: the-unexpected\r\n'])('closes a connection on which a thousand wait (%j), having handled one', async (headers) => {
  connection.socket.write(Array.from({ length: 1000 }, (_, n) => get(`/${n}`, headers)).join(''))
  await connection.closed
  expect(urls()).toEqual(['/0'])
})

it('handles nothing that waited on a connection that has ended', async () => {
  connection.socket.write(get('/1') + get('/2'))
  await expect.poll(urls).toEqual(['/1'])
  const first = handled[0]?.response
  connection.socket.destroy()
  await expect.poll(() => first?.destroyed).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(urls()).toEqual(['/1'])
})

it('upgrades no connection on which an answer is still to come', async () => {
  const upgrade = get('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')
  connection.socket.write(get('/1') + upgrade)
  await connection.closed
  expect([urls(), upgrades]).toEqual([['/1'], 0])
})
