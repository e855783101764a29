import type { Static, TObject } from 'typebox'
import { type SocketName, type Sockets, sockets } from './sockets.ts'

export type FrameOf<Name extends SocketName> = Static<Sockets[Name]['frame']>
type Part<Name extends SocketName, Key extends 'params' | 'query'> =
  Sockets[Name] extends Record<Key, infer Schema extends TObject> ? Static<Schema> : unknown
export type StreamInput<Name extends SocketName> = Part<Name, 'params'> & Part<Name, 'query'>

/** What a browser's and Node's WebSocket have in common. */
export type SocketLike = {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  close: () => void
}

/** `waiting` is between two attempts; `ended` is final: the server ended the stream, or access was lost. */
export type StreamState =
  | { is: 'connecting'; attempt: number }
  | { is: 'open' }
  | { is: 'waiting'; attempt: number; retryInMs: number; everOpen: boolean }
  | { is: 'ended'; code: number }

export type StreamOptions<Name extends SocketName> = {
  name: Name
  input: StreamInput<Name>
  /** `ws://host` or `wss://host`, without a path. */
  origin: string
  connect: (url: string) => SocketLike
  onFrame: (frame: FrameOf<Name>) => void
  onState?: (state: StreamState) => void
  /** Between 0 and 1; spreads the reconnects of many clients after a restart. */
  random?: () => number
}

export type Stream = { close: () => void; retryNow: () => void }

const FIRST_RETRY_MS = 400
const LAST_RETRY_MS = 10_000
const DONE = 1000
/** These streams never end, so a clean close means a restart of the server. */
const ENDLESS: readonly SocketName[] = ['events', 'metrics']
const NO_ACCESS = 1008

/** The query that resumes after this frame, if the stream has a cursor. */
export function cursorAfter(name: SocketName, frame: unknown): Record<string, number> | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined
  if (name === 'events') return 'seq' in frame && typeof frame.seq === 'number' ? { after: frame.seq } : undefined
  if (name !== 'deployment.stream' && name !== 'deployment.streamById') return undefined
  if (!('data' in frame) || typeof frame.data !== 'object' || frame.data === null) return undefined
  return 'n' in frame.data && typeof frame.data.n === 'number' ? { from: frame.data.n } : undefined
}

/** The address of a socket; a cursor overrides the input it was opened with. */
export function streamUrl(origin: string, name: SocketName, input: Record<string, string | number | undefined>): string {
  const line: { path: string; params?: TObject; query?: TObject } = sockets[name]
  let path = line.path
  for (const key of Object.keys(line.params?.properties ?? {})) path = path.replace(`:${key}`, encodeURIComponent(String(input[key])))
  const query = new URLSearchParams()
  for (const key of Object.keys(line.query?.properties ?? {})) if (input[key] !== undefined) query.set(key, String(input[key]))
  return `${origin}${path}${query.size > 0 ? `?${query.toString()}` : ''}`
}

export function retryDelayMs(attempt: number, random: number): number {
  return Math.round(Math.min(FIRST_RETRY_MS * 2 ** attempt, LAST_RETRY_MS) * (0.5 + random / 2))
}

/** Follows a socket until it is closed: reconnects with growing pauses and resumes where it stopped. */
export function openStream<Name extends SocketName>(options: StreamOptions<Name>): Stream {
  const { name, origin, connect, onFrame, random = Math.random } = options
  const input = options.input as Record<string, string | number | undefined> // every parameter of a socket is one of these
  const say = (state: StreamState): void => options.onState?.(state)
  let cursor: Record<string, number> = {}
  let attempt = 0
  let everOpen = false
  let closed = false
  let socket: SocketLike | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function start(): void {
    timer = undefined
    say({ is: 'connecting', attempt })
    const current = connect(streamUrl(origin, name, { ...input, ...cursor }))
    socket = current
    current.onopen = () => {
      attempt = 0
      everOpen = true
      say({ is: 'open' })
    }
    current.onmessage = (event: { data: unknown }) => receive(event.data)
    // A refused or lost connection is also reported by `close`, which handles it; without a listener Node would throw.
    current.onerror = () => {}
    current.onclose = (event: { code: number }) => {
      if (socket === current) lost(event.code)
    }
  }

  function receive(data: unknown): void {
    if (closed || typeof data !== 'string') return
    const frame = JSON.parse(data) as FrameOf<Name> // the contract's own server sends the frames of this socket
    cursor = cursorAfter(name, frame) ?? cursor
    onFrame(frame)
  }

  function lost(code: number): void {
    socket = undefined
    if (closed) return
    if (code === NO_ACCESS || (code === DONE && !ENDLESS.includes(name))) {
      closed = true
      say({ is: 'ended', code })
      return
    }
    const retryInMs = retryDelayMs(attempt, random())
    attempt += 1
    say({ is: 'waiting', attempt, retryInMs, everOpen })
    timer = setTimeout(start, retryInMs)
  }

  function retryNow(): void {
    if (closed || timer === undefined) return
    clearTimeout(timer)
    start()
  }

  function close(): void {
    closed = true
    clearTimeout(timer)
    const current = socket
    socket = undefined
    current?.close()
  }

  start()
  return { close, retryNow }
}
