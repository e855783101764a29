import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import * as library from 'ws'
import { WebSocket, WebSocketServer } from 'ws'
import { encodeFrames } from './text-frames.ts'

type Framing = { Sender: { frame(data: Buffer, options: Record<string, unknown>): Buffer[] } }
const { Sender } = library as unknown as Framing // exported by the library, and missing in its types

it('has the very bytes that the library would send', () => {
  const frames = [0, 100, 125, 126, 65_535, 65_536].map((length) => ({ timestamp: 'now', data: 'x'.repeat(length) }))
  const options = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false }
  const parts = frames.flatMap((frame) => Sender.frame(Buffer.from(JSON.stringify(frame)), options))
  expect(encodeFrames(frames).bytes.equals(Buffer.concat(parts))).toBe(true)
})

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
