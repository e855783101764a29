import { ApiError, type FrameOf, openStream, type SocketName, type Stream, type StreamInput, type StreamState } from '@berth/contract'
import { WebSocket } from 'ws' // Node.js 20 has none of its own

const TRIES = 8
const NO_ACCESS = 1008

/** Follows a socket of the server to its end. It reconnects by itself, and gives up when the server does not respond for a while. */
export function createFollow(deps: { url: string; headers: () => Record<string, string>; signal: AbortSignal }) {
  const { signal } = deps
  const origin = deps.url.replace(/^http/, 'ws')

  return async function follow<Name extends SocketName>(
    name: Name,
    input: StreamInput<Name>,
    onFrame: (frame: FrameOf<Name>) => void,
  ): Promise<void> {
    signal.throwIfAborted()
    const connect = (url: string) => new WebSocket(url, { headers: deps.headers() })
    let stream: Stream | undefined
    let onAbort: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(new Error('interrupted', { cause: signal.reason }))
        signal.addEventListener('abort', onAbort)
        const onState = (state: StreamState): void => {
          if (state.is === 'waiting' && state.attempt >= TRIES)
            reject(new ApiError(0, { error: 'The connection to the server was lost.', code: 'unreachable' }))
          if (state.is !== 'ended') return
          if (state.code === NO_ACCESS) reject(new ApiError(401, { error: 'You no longer have access.', code: 'not_signed_in' }))
          else resolve()
        }
        stream = openStream({ name, input, origin, connect, onFrame, onState })
      })
    } finally {
      if (onAbort) signal.removeEventListener('abort', onAbort)
      stream?.close()
    }
  }
}

export type Follow = ReturnType<typeof createFollow>
