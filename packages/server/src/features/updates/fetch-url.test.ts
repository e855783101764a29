import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { fetchText } from './fetch-url.ts'

it('a feed that switches to another protocol has given no answer', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const signal = AbortSignal.timeout(10_000)
  await expect(fetchText(`http://127.0.0.1:${port}/index.json`, { ca: undefined, signal })).rejects.toThrow('without an answer')
  server.close()
})
