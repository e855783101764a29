import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { encodeFrames } from './text-frames.ts'

it('is read by a client as the messages that it was made from, whatever their length', async () => {
  const frames = [0, 10, 125, 126, 65_535, 65_536, 200_000].map((length) => ({ timestamp: 'now', data: '⛵'.repeat(length / 3) }))
  const server = createServer().listen(0, '127.0.0.1')
  const wss = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => wss.handleUpgrade(request, socket, head, () => socket.write(encodeFrames(frames).bytes)))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  const read: unknown[] = []
  client.on('message', (message: Buffer) => read.push(JSON.parse(message.toString())))
  while (read.length < frames.length) await once(client, 'message')
  expect(read).toEqual(frames)
  client.terminate()
  server.close()
})
