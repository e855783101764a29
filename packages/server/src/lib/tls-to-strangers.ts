import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import tls from 'node:tls'
import { type Destination, startTlsHelper, type TlsHelper } from './tls-helper.ts'

type Deps = {
  /** For the sockets of helpers. */
  directory: string
  ca: readonly string[] | undefined
  handshakeMs?: number
  idleMs?: number
}

const HANDSHAKE_MS = 10_000
const IDLE_MS = 60_000
const MOST_HELPERS = 4
/** The path of a socket has 107 bytes at most. */
const LONGEST_DIRECTORY = 80

/**
 * TLS to hosts that anybody may name. It runs in processes beside the server, which start when they are needed: normally in one. While a
 * handshake holds that one up, the next connections go to another.
 */
export function createTlsToStrangers({ directory, ca, handshakeMs = HANDSHAKE_MS, idleMs = IDLE_MS }: Deps) {
  const helpers = new Set<TlsHelper>() // the oldest first
  let isClosed = false

  function start(): TlsHelper {
    for (const oldest of helpers) if (helpers.size >= MOST_HELPERS) oldest.end() // all of them are stuck
    const helper = startTlsHelper({
      directory: Buffer.byteLength(directory) > LONGEST_DIRECTORY ? tmpdir() : directory,
      ca: ca ?? tls.getCACertificates('default'),
      handshakeMs,
      idleMs,
      onEnd: () => helpers.delete(helper),
    })
    helpers.add(helper)
    return helper
  }

  /** A connection on which the host's certificate is verified before anything is sent. */
  function connect(destination: Destination): Socket {
    if (isClosed) throw new Error('Berth is stopping.')
    const helper = [...helpers].find((each) => !each.isStuck()) ?? start()
    return helper.connect(destination)
  }

  function close(): void {
    isClosed = true
    for (const helper of helpers) helper.end()
  }

  return { connect, close, [Symbol.dispose]: close }
}

export type TlsToStrangers = ReturnType<typeof createTlsToStrangers>
