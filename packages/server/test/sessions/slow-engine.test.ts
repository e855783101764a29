import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sockets } from '@berth/contract'
import { expect, it } from 'vitest'
import { openConnection } from '../../testing/harness/raw-connection.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

/** An engine that takes every request and answers none. */
async function openSilentEngine() {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-silent-'))
  const socketPath = path.join(directory, 'engine.sock')
  const held = new Set<Socket>()
  const server = createServer((socket) => void held.add(socket.on('error', () => undefined)))
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    address: `unix://${socketPath}`,
    async [Symbol.asyncDispose]() {
      for (const socket of held) socket.destroy()
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}

it('streams that wait for the engine before they open count as streams of the person who asked', async () => {
  await using engine = await openSilentEngine()
  await using berth = await startTestServer({ env: { DOCKER_HOST: engine.address } })
  const { cookie } = await berth.as('asker')
  const address = sockets['container.logs'].path.replace(/:[A-Za-z]+/, 'a'.repeat(64))
  const head = [
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${btoa('x'.repeat(16))}`,
  ]
  const all = await Promise.all(Array.from({ length: 140 }, async () => await openConnection(berth.baseUrl)))
  const refused: string[] = []
  for (const { socket, answered } of all) {
    void answered.then((answer) => refused.push(answer))
    socket.write(`GET ${address} HTTP/1.1\r\n${[...head, `Cookie: ${cookie}`].join('\r\n')}\r\n\r\n`)
  }
  await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(12)
  expect(refused.filter((answer) => !/^HTTP\/1\.1 503 [^]*server_busy/.test(answer))).toEqual([])
  for (const { socket } of all) socket.destroy()
})
