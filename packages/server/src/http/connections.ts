import type { Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'

const MOST_CONNECTIONS = 4096
const LIMITS = { strangers: 2048, perAddress: 256 }
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

/**
 * A connection is a stranger's until a request on it shows a session. There are only so many of those, of one address and of
 * all; when one more comes the oldest goes, so that a crowd that only holds connections keeps nobody out.
 */
export function createConnections(limits: typeof LIMITS = LIMITS) {
  const strangers = new Map<Socket, string | undefined>() // and their addresses; the oldest first, here and below
  const byAddress = new Map<string, Set<Socket>>()

  function add(socket: Socket): void {
    const group = addressGroup(socket.remoteAddress ?? '')
    strangers.set(socket, group)
    socket.once('close', () => known(socket))
    if (strangers.size > limits.strangers) letGo(strangers.keys())
    if (group === undefined) return
    const own = byAddress.get(group) ?? new Set()
    byAddress.set(group, own.add(socket))
    if (own.size > limits.perAddress) letGo(own)
  }

  function letGo([oldest]: Iterable<Socket>): void {
    if (!oldest) return
    known(oldest)
    oldest.destroy()
  }

  /** Somebody with a session speaks on it, or it has ended: it is no stranger's any more. */
  function known(socket: Socket): void {
    const group = strangers.get(socket)
    strangers.delete(socket)
    const own = group === undefined ? undefined : byAddress.get(group)
    own?.delete(socket)
    if (group !== undefined && own?.size === 0) byAddress.delete(group)
  }

  return {
    known,
    watch(server: Server): void {
      server.maxConnections = MOST_CONNECTIONS
      server.on('connection', add)
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
