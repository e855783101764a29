import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { isIP, Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { TLS_HELPER } from './tls-helper-program.ts'

/** An address that was checked, and the name that the certificate there must have. */
export type Destination = { readonly name: string; readonly address: string; readonly port: number }
type Deps = {
  readonly directory: string
  readonly ca: readonly string[]
  readonly handshakeMs: number
  readonly idleMs: number
  readonly onEnd: () => void
}
/** What it tells us. */
type Word = { readonly kind: 'ready' } | { readonly kind: 'pong' } | Outcome
/** Of a handshake. */
type Outcome =
  | { readonly kind: 'secured'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly code?: string; readonly message: string }
type Opening = { path: string; ready: Promise<void>; handshakeMs: number; onNoneLeft: () => void }

/**
 * Groups of finite fields can have any size, and computing in a large one takes seconds. So they are not offered, nor are the key exchanges
 * of old servers without forward secrecy.
 */
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  ecdhCurve: 'X25519:P-256:P-384',
} as const
const SMALL = ['--max-old-space-size=64', '--max-semi-space-size=1', '--v8-pool-size=0', '--single-threaded-gc']
const PING_EVERY_MS = 1000
/** Of pings in a row, counted instead of measured: our own pauses are not its own. */
const [STUCK_AFTER, LOST_AFTER] = [2, 10]

/**
 * A process of its own that encrypts connections. OpenSSL can be kept busy by a certificate for minutes, and before it is done nothing can be
 * refused: a thread cannot be interrupted there, and the server could not even exit before it. A process can be killed.
 */
export function startTlsHelper({ directory, ca, handshakeMs, idleMs, onEnd }: Deps) {
  mkdirSync(directory, { recursive: true })
  const folder = mkdtempSync(join(directory, 'tls-')) // for its owner only
  const path = join(folder, 's')
  const child = spawn(process.execPath, [...SMALL, '-'], { stdio: ['pipe', 'ignore', 'ignore', 'ipc'], env: {}, detached: true })
  lowerPriority(child.pid)
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // each connection learns of it
  let [unanswered, hasEnded] = [0, false]
  let idle: NodeJS.Timeout | undefined
  const startIdling = () => void (idle = setTimeout(end, idleMs).unref())
  const opened = createOpened({ path, ready: ready.promise, handshakeMs, onNoneLeft: () => hasEnded || startIdling() })
  const pings = setInterval(() => {
    if (unanswered >= LOST_AFTER) return end()
    if (unanswered === 0) child.send({ kind: 'ping' }, () => undefined)
    unanswered += 1
  }, PING_EVERY_MS).unref()

  function end(): void {
    if (hasEnded) return
    hasEnded = true
    clearInterval(pings)
    clearTimeout(idle)
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    const cause = failureWith('ECONNRESET', 'The process that encrypts the connection has ended.')
    ready.reject(cause)
    opened.destroyAll(cause)
    onEnd()
  }

  function connect(to: Destination): Socket {
    clearTimeout(idle)
    return opened.connect(to)
  }

  child.unref()
  child.channel?.unref()
  child.on('message', (said) => {
    const word = said as Word // from our own program
    if (word.kind === 'ready') ready.resolve()
    else if (word.kind === 'pong') unanswered = 0
    else opened.settle(word)
  })
  child.once('error', end).once('exit', end)
  child.stdin?.on('error', () => undefined).end(TLS_HELPER)
  child.send({ path, folder, tlsOptions: TLS_OPTIONS, ca }, () => undefined)
  return { connect, end, isStuck: () => unanswered > STUCK_AFTER }
}

export type TlsHelper = ReturnType<typeof startTlsHelper>

/** The connections of one helper. */
function createOpened({ path, ready, handshakeMs, onNoneLeft }: Opening) {
  const sockets = new Map<number, Socket>()
  const handshakes = new Map<number, NodeJS.Timeout>()
  let last = 0

  /** What is written to the socket waits until the certificate is verified. */
  function connect({ name, address, port }: Destination): Socket {
    const id = (last += 1)
    const socket = new Socket()
    sockets.set(id, socket)
    const late = () => socket.destroy(failureWith('ETIMEDOUT', 'The TLS handshake takes too long.'))
    handshakes.set(id, setTimeout(late, handshakeMs))
    socket.on('error', () => undefined) // whoever uses it does not listen from its start to its end
    socket.once('close', () => forget(id))
    socket.cork() // until it is connected
    socket.write(`${JSON.stringify({ id, host: address, port, servername: isIP(name) === 0 ? name : '' })}\n`)
    ready.then(
      () => socket.destroyed || socket.connect({ path }).uncork(),
      () => undefined, // the helper has ended, and this with it
    )
    return socket
  }

  function forget(id: number): void {
    endHandshake(id)
    sockets.delete(id)
    if (sockets.size === 0) onNoneLeft()
  }

  function endHandshake(id: number): void {
    clearTimeout(handshakes.get(id))
    handshakes.delete(id)
  }

  function settle(outcome: Outcome): void {
    endHandshake(outcome.id)
    if (outcome.kind === 'failed') sockets.get(outcome.id)?.destroy(failureWith(outcome.code, outcome.message))
  }

  function destroyAll(cause: Error): void {
    for (const socket of sockets.values()) socket.destroy(cause)
  }

  return { connect, settle, destroyAll }
}

function failureWith(code: string | undefined, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** A hostile host may keep it busy. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it has ended already
  }
}
