import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type RawConnection = {
  socket: Socket
  answer: () => string
  isClosed: () => boolean
  /** Until something was answered, or the server has closed it. */
  answered: Promise<string>
  closed: Promise<void>
}

/** A raw connection of a badly behaved client: bytes are sent exactly as written, and it is never closed from this side. */
export async function openConnection(baseUrl: string, options: { localAddress?: string } = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, ...options })
  const answered = Promise.withResolvers<string>()
  const closed = Promise.withResolvers<void>()
  let answer = ''
  let isClosed = false
  const end = () => {
    isClosed = true
    answered.resolve(answer)
    closed.resolve()
  }
  socket.on('error', end) // a server that closes while we send
  socket.on('end', end)
  socket.on('close', end)
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
    if (answer.includes('\r\n\r\n')) answered.resolve(answer)
  })
  await Promise.race([once(socket, 'connect'), closed.promise])
  return { socket, answer: () => answer, isClosed: () => isClosed, answered: answered.promise, closed: closed.promise }
}

/** A raw connection to a server that does not listen yet. */
export async function listenAndConnect(server: Server): Promise<RawConnection> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return await openConnection(`http://127.0.0.1:${port}`)
}

/** The head of a request that promises a body of this many bytes. */
export function headOf(path: string, bodyBytes: number, headers: Record<string, string> = {}): string {
  const all = { Host: 'berth.test', 'Content-Type': 'application/json', 'Content-Length': String(bodyBytes), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}
