import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from '../lib/address-group.ts'

const MOST_CONNECTIONS = 4096
const LIMITS = { strangers: 2048, perAddress: 256, perPerson: 128, streamsPerPerson: 128 }
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
 * A connection is anonymous until a request on it has a valid session; then it belongs to that person. The number is limited for
 * anonymous connections, per address and in total, and per person; beyond that the connection that was idle longest is closed, so that
 * nobody can block others just by holding connections. Streams of a person are counted separately: a new one is refused instead of
 * closing an old one.
 */
export function createConnections(limits: typeof LIMITS = LIMITS) {
  const strangers = new Set<Socket>()
  const byAddress = createGroups<string>()
  const byPerson = createGroups<number>()
  const streams = createGroups<number>()
  const leave = new Map<Socket, () => void>() // removes a connection from all counts

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

  /** Call for each request with a session. Moves the connection to the end of that person's list. */
  function known(socket: Socket, userId: number): void {
    forget(socket)
    if (socket.destroyed) return // it closed while the session was looked up
    const own = byPerson.add(userId, socket)
    leave.set(socket, () => byPerson.remove(userId, socket))
    if (own.size > limits.perPerson) letGo(own)
  }

  /** Whether this person may open another stream; if so, the connection counts as one from now on. */
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
