import { type FrameOf, openStream, type SocketName, type Stream, type StreamInput, type StreamState } from '@berth/contract'

type Listeners<Name extends SocketName> = { onFrame: (frame: FrameOf<Name>) => void; onState?: (state: StreamState) => void }

/** Opens one of the contract's streams on this origin and reconnects immediately when the browser is online again. */
export function follow<Name extends SocketName>(name: Name, input: StreamInput<Name>, listeners: Listeners<Name>): Stream {
  const origin = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`
  const stream = openStream({ name, input, origin, connect: (url) => new WebSocket(url), ...listeners })
  const online = (): void => stream.retryNow()
  addEventListener('online', online)
  return {
    retryNow: stream.retryNow,
    close: () => {
      removeEventListener('online', online)
      stream.close()
    },
  }
}
