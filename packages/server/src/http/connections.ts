import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'

const MOST_CONNECTIONS = 4096
const LIMITS = { strangers: 2048, perAddress: 256, perPerson: 128, streamsPerPerson: 128 }
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** An owner of IPv6 has a whole /64 of them, so that counts as one; our own edge, on loopback, counts by itself. */
export function addressGroup(address: string): string | undefined {
  if (LOOPBACK.has(address)) return undefined
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  if (!isIPv6(plain)) return plain
  const [left = '', right] = plain.split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const zeros = right === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

/** The connections of each owner, the oldest first. */
function createGroups<Owner>() {
  const groups = new Map<Owner, Set<Socket>>()
  return {
    of: (owner: Owner): ReadonlySet<Socket> => groups.get(owner) ?? new Set(),
    add(owner: Owner, socket: Socket): ReadonlySet<Socket> {
      const own = groups.get(owner) ?? new Set()
      groups.set(owner, own.add(socket))
      return own
    },
    remove(owner: Owner, socket: Socket): void {
      const own = groups.get(owner)
      own?.delete(socket)
      if (own?.size === 0) groups.delete(owner)
    },
  }
}

/**
 * A connection is a stranger's until a request on it shows a session; then it is that person's. There are only so many of
 * strangers, of one address and of all, and only so many of one person; when one more comes the one that was silent longest
 * goes, so that nobody who only holds connections keeps others out. Streams of a person count by themselves: none of them is
 * closed for a new one, the new one is refused.
 */
export function createConnections(limits: typeof LIMITS = LIMITS) {
  const strangers = new Set<Socket>()
  const byAddress = createGroups<string>()
  const byPerson = createGroups<number>()
  const streams = createGroups<number>()
  const leave = new Map<Socket, () => void>() // takes a connection out of the counts it is in

  function add(socket: Socket): void {
    const group = addressGroup(socket.remoteAddress ?? '')
    strangers.add(socket)
    leave.set(socket, () => {
      strangers.delete(socket)
      if (group !== undefined) byAddress.remove(group, socket)
    })
    socket.once('close', () => forget(socket))
    if (strangers.size > limits.strangers) letGo(strangers)
    if (group === undefined) return
    const own = byAddress.add(group, socket)
    if (own.size > limits.perAddress) letGo(own)
  }

  function forget(socket: Socket): void {
    leave.get(socket)?.()
    leave.delete(socket)
  }

  function letGo([oldest]: Iterable<Socket>): void {
    if (!oldest) return
    forget(oldest)
    oldest.destroy()
  }

  /** Somebody with a session speaks on it. Each request moves it behind the others of that person. */
  function known(socket: Socket, userId: number): void {
    forget(socket)
    if (socket.destroyed) return // it ended while the session was looked up
    const own = byPerson.add(userId, socket)
    leave.set(socket, () => byPerson.remove(userId, socket))
    if (own.size > limits.perPerson) letGo(own)
  }

  /** Whether this person may have one more stream; from then on the connection counts as one. */
  function startStream(socket: Socket, userId: number): boolean {
    if (streams.of(userId).size >= limits.streamsPerPerson) return false
    forget(socket)
    if (socket.destroyed) return true
    streams.add(userId, socket)
    leave.set(socket, () => streams.remove(userId, socket))
    return true
  }

  return {
    known,
    startStream,
    watch(server: Server): void {
      server.maxConnections = MOST_CONNECTIONS
      server.on('connection', add)
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
