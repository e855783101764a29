import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A port that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

export async function untilItListens(port: number, host = '127.0.0.1'): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host)
      // without a listener the system may connect a socket to itself
      socket.once('connect', () => resolve(socket.localPort !== port)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`nothing listens on port ${port}`)
}
