import type { Server, Socket } from 'node:net'
import { addressGroup } from '../../lib/address-group.ts'

type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>
type Connection = { readonly socket: Socket; readonly source: string }

/** A server that starts many apps at once opens a connection for each, and three more for layers. */
const LIMITS = { all: 384, perSource: 48 }

/**
 * The connections of servers that pull. One without the password is closed for a new one, the oldest first, so that nobody keeps servers out
 * by connecting alone. Those with the password stay; a new one beyond them is refused. Each source has a share of them all.
 */
export function createPullConnections(limits: typeof LIMITS = LIMITS) {
  const strangers = new Map<string, Connection>() // the oldest first
  const known = new Map<string, Connection>()

  function add(socket: Socket): void {
    const key = keyOf(socket)
    const source = sourceOf(socket)
    const isOfSource = (each: Connection) => each.source === source
    const hasRoom = hasRoomFor(isOfSource, limits.perSource) && hasRoomFor(() => true, limits.all)
    if (!hasRoom) return void socket.destroy()
    strangers.set(key, { socket, source })
    socket.once('close', () => {
      strangers.delete(key)
      known.delete(key)
    })
  }

  function hasRoomFor(counts: (each: Connection) => boolean, most: number): boolean {
    const oldest = [...strangers].filter(([, each]) => counts(each))
    const places = most - oldest.length - [...known.values()].filter(counts).length
    if (places > 0) return true
    const [key, letGo] = oldest[0] ?? []
    if (key !== undefined) strangers.delete(key)
    letGo?.socket.destroy()
    return letGo !== undefined
  }

  /** A request with the password has arrived on it. */
  function know(peer: Peer): void {
    const key = keyOf(peer)
    const connection = strangers.get(key)
    if (connection === undefined) return
    strangers.delete(key)
    known.set(key, connection)
  }

  return { watch: (server: Server): void => void server.on('connection', add), know }
}

/** The same for the connection and for the TLS on it, which are two sockets in Node. */
function keyOf({ remoteAddress = '', remotePort = 0 }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}

export function sourceOf({ remoteAddress = '' }: Peer): string {
  return addressGroup(remoteAddress) ?? remoteAddress
}
