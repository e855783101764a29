import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection, type RawConnection } from '../../testing/harness/raw-connection.ts'
import { createConnections } from './connections.ts'

let server: Server
let connections: ReturnType<typeof createConnections>
let seen: Socket[] = []
let open: RawConnection[] = []

beforeEach(async () => {
  server = createServer()
  connections = createConnections({ strangers: 6, perAddress: 3, perPerson: 4, streamsPerPerson: 2 })
  connections.watch(server)
  seen = []
  server.on('connection', (socket: Socket) => seen.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  open = []
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function connect(localAddress: string): Promise<RawConnection> {
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const before = seen.length
  const connection = await openConnection(`http://127.0.0.1:${port}`, { localAddress })
  open.push(connection)
  await expect.poll(() => seen.length).toBe(before + 1)
  return connection
}
function stillOpen(): number[] {
  return seen.flatMap(({ destroyed }, n) => (destroyed ? [] : [n]))
}

it('of one address: the oldest is closed if there is one too many', async () => {
  for (let n = 0; n < 4; n += 1) await connect('127.0.0.2')
  await connect('127.0.0.3')
  expect(stillOpen()).toEqual([1, 2, 3, 4])
})

it('of all: the oldest is closed if there is one too many, and our own edge is not limited', async () => {
  await connect('127.0.0.2')
  for (let n = 0; n < 6; n += 1) await connect('127.0.0.1')
  expect(stillOpen()).toEqual([1, 2, 3, 4, 5, 6])
})

it('authenticated and closed connections do not count', async () => {
  await connect('127.0.0.2')
  if (seen[0]) connections.known(seen[0], 1)
  const leaver = await connect('127.0.0.2')
  leaver.socket.destroy()
  await expect.poll(() => seen[1]?.destroyed).toBe(true)
  for (let n = 0; n < 3; n += 1) await connect('127.0.0.2')
  expect(stillOpen()).toEqual([0, 2, 3, 4])
})

it('of one person: the one idle longest is closed if there is one too many, and others keep theirs', async () => {
  const speak = (n: number, userId: number) => {
    if (seen[n]) connections.known(seen[n], userId)
  }
  await connect('127.0.0.1')
  speak(0, 2)
  for (let n = 1; n <= 4; n += 1) {
    await connect('127.0.0.1')
    speak(n, 1)
  }
  speak(1, 1) // again
  await connect('127.0.0.1')
  speak(5, 1)
  expect(stillOpen()).toEqual([0, 1, 3, 4, 5])
})

it('streams of one person are so many, until one of them ends, and are not closed for anything newer', async () => {
  const start = (n: number, userId: number) => seen[n] && connections.startStream(seen[n], userId)
  for (let n = 0; n < 5; n += 1) await connect('127.0.0.1')
  expect([start(0, 1), start(1, 1), start(2, 1), start(3, 2)]).toEqual([true, true, false, true])
  seen[0]?.destroy()
  await expect.poll(() => start(2, 1)).toBe(true)
  expect(start(4, 1)).toBe(false)
  for (let n = 5; n < 11; n += 1) {
    await connect('127.0.0.1')
    const newest = seen[n]
    if (newest) connections.known(newest, 1)
  }
  expect(stillOpen()).toEqual([1, 2, 3, 4, 7, 8, 9, 10])
})
