import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection, type RawConnection } from '../../../testing/harness/raw-connection.ts'
import { createPullConnections } from './connections.ts'

let server: Server
let connections: ReturnType<typeof createPullConnections>
let open: RawConnection[] = []
let seen: Socket[] = []

beforeEach(async () => {
  ;[open, seen] = [[], []]
  server = createServer()
  server.prependListener('connection', (socket) => seen.push(socket))
  connections = createPullConnections({ all: 5, perSource: 3 })
  connections.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const { socket } of open) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Opens one, which the server may close at once. With `isKnown` it shows the password. */
async function connect(source: number, { isKnown = false } = {}): Promise<void> {
  const before = seen.length
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  open.push(await openConnection(`http://127.0.0.1:${port}`, { localAddress: `127.0.0.${source}` }))
  await expect.poll(() => seen.length).toBe(before + 1)
  const [newest] = seen.slice(-1)
  if (isKnown && newest !== undefined) connections.know(newest)
}

const closed = () => open.flatMap((each, index) => (each.isClosed() ? [index] : []))

it('closes the oldest connection without the password of a source that has its share', async () => {
  await connect(9)
  for (let n = 0; n < 5; n += 1) await connect(2)
  await expect.poll(closed).toEqual([1, 2])
})

it('closes the oldest connection without the password when all places are taken', async () => {
  await connect(2, { isKnown: true })
  for (const source of [3, 4, 5, 6, 7, 8]) await connect(source)
  await expect.poll(closed).toEqual([1, 2])
})

it('keeps those with the password, and closes a new one where nothing else is left', async () => {
  for (let n = 0; n < 3; n += 1) await connect(2, { isKnown: true })
  await connect(2)
  await expect.poll(closed).toEqual([3])
  for (let n = 0; n < 2; n += 1) await connect(3, { isKnown: true })
  await connect(4)
  await expect.poll(closed).toEqual([3, 6])
})

it('has room again when some have ended', async () => {
  for (let n = 0; n < 3; n += 1) await connect(2, { isKnown: true })
  open[0]?.socket.destroy()
  await expect.poll(() => seen[0]?.destroyed).toBe(true)
  await connect(2)
  await connect(2)
  await expect.poll(closed).toEqual([0, 3]) // the one that this side has closed, and the older of the two others
})
