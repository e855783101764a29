import { expect, it } from 'vitest'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { openConnection } from '../../testing/harness/raw-connection.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

const CONNECTIONS = 40
const CHUNKS = '1\r\n \r\n'.repeat(16_000)
const HEAD = 'POST /api/auth/login HTTP/1.1\r\nHost: berth.test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'

it('the bodies of strangers take little memory, also in chunks of one byte', async () => {
  await using berth = await startTestServer({ runs: 'as a process' })
  const before = await resourcesOf(berth.pid())
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, async () => await openConnection(berth.baseUrl)))
  for (const { socket } of connections) socket.write(HEAD + CHUNKS)
  await Promise.all(connections.map(async ({ answered }) => await answered))
  const { memoryMb } = await resourcesOf(berth.pid())
  for (const { socket } of connections) socket.destroy()
  expect(memoryMb - before.memoryMb).toBeLessThan(100)
  expect((await berth.raw('GET', '/health')).status).toBe(200)
})
