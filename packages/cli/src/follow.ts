import { ApiError, type FrameOf, openStream, type SocketName, type StreamInput, type StreamState } from '@berth/contract'

const TRIES = 8
const NO_ACCESS = 1008

/** Follows a socket of the server to its end. It reconnects by itself, and gives up when nothing answers for a while. */
export function createFollow(deps: { url: string; headers: () => Record<string, string>; signal: AbortSignal }) {
  const { signal } = deps
  const origin = deps.url.replace(/^http/, 'ws')

  return async function follow<Name extends SocketName>(
    name: Name,
    input: StreamInput<Name>,
    onFrame: (frame: FrameOf<Name>) => void,
  ): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onState = (state: StreamState): void => {
      if (state.is === 'waiting' && state.attempt >= TRIES)
        reject(new ApiError(0, { error: 'The connection was lost and does not come back.', code: 'unreachable' }))
      if (state.is !== 'ended') return
      if (state.code === NO_ACCESS) reject(new ApiError(401, { error: 'The access has ended.', code: 'not_signed_in' }))
      else resolve()
    }
    // Node.js takes headers where the standard has protocols; a browser could not set them.
    const connect = (url: string) => new WebSocket(url, { headers: deps.headers() })
    const stream = openStream({ name, input, origin, connect, onFrame, onState })
    const onAbort = () => reject(new Error('interrupted', { cause: signal.reason }))
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      stream.close()
    }
  }
}

export type Follow = ReturnType<typeof createFollow>
