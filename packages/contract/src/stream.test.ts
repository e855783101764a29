import { describe, expect, it, vi } from 'vitest'
import { cursorAfter, openStream, retryDelayMs, type SocketLike, type StreamState, streamUrl } from './stream.ts'

type FakeSocket = SocketLike & { url: string; open: () => void; send: (frame: unknown) => void; drop: (code: number) => void }

function fakeNetwork() {
  const made: FakeSocket[] = []
  const connect = (url: string): SocketLike => {
    const socket: FakeSocket = {
      url,
      onopen: null,
      onmessage: null,
      onclose: null,
      onerror: null,
      close: () => {},
      open: () => socket.onopen?.(undefined as never),
      send: (frame) => socket.onmessage?.({ data: JSON.stringify(frame) } as never),
      drop: (code) => socket.onclose?.({ code } as never),
    }
    made.push(socket)
    return socket
  }
  const last = (): FakeSocket => {
    const socket = made.at(-1)
    if (!socket) throw new Error('nothing has connected')
    return socket
  }
  return { made, connect, last }
}

describe('a stream', () => {
  it('builds addresses from the list of sockets', () => {
    expect(streamUrl('ws://h', 'events', { after: 3 })).toBe('ws://h/api/ws/events?after=3')
    expect(streamUrl('ws://h', 'deployment.streamById', { deploymentId: 7, from: 2 })).toBe('ws://h/api/ws/deployment/7?from=2')
    expect(streamUrl('ws://h', 'metrics', {})).toBe('ws://h/api/ws/metrics')
  })

  it('reads the cursor from frames that carry one', () => {
    expect(cursorAfter('events', { seq: 5 })).toEqual({ after: 5 })
    expect(cursorAfter('deployment.stream', { type: 'log', data: { n: 9 } })).toEqual({ from: 9 })
    expect(cursorAfter('deployment.stream', { type: 'status', data: {} })).toBeUndefined()
    expect(cursorAfter('metrics', { seq: 1 })).toBeUndefined()
  })

  it('waits longer after each failure, within bounds', () => {
    expect([0, 1, 2, 20].map((attempt) => retryDelayMs(attempt, 1))).toEqual([400, 800, 1600, 10_000])
    expect(retryDelayMs(0, 0)).toBe(200)
  })

  it('reconnects after a loss and resumes after the last frame it saw', async () => {
    vi.useFakeTimers()
    const network = fakeNetwork()
    const states: StreamState['is'][] = []
    const seen: number[] = []
    const stream = openStream({
      name: 'events',
      input: {},
      origin: 'ws://h',
      connect: network.connect,
      onFrame: (frame) => seen.push(frame.seq),
      onState: (state) => states.push(state.is),
    })
    network.last().open()
    network.last().send({ type: 'app.updated', seq: 41, data: {} })
    network.last().drop(1006)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(network.made.map(({ url }) => url)).toEqual(['ws://h/api/ws/events', 'ws://h/api/ws/events?after=41'])
    expect(seen).toEqual([41])
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting'])
    stream.close()
    vi.useRealTimers()
  })

  it.each([1000, 1008])('ends for good when the server closes with %i', (code) => {
    const network = fakeNetwork()
    const states: StreamState[] = []
    openStream({
      name: 'deployment.stream',
      input: { deploymentId: 1 },
      origin: 'ws://h',
      connect: network.connect,
      onFrame: () => {},
      onState: (state) => states.push(state),
    })
    network.last().drop(code)
    expect(states.at(-1)).toEqual({ is: 'ended', code })
    expect(network.made).toHaveLength(1)
  })

  it('reconnects to an endless stream when the server shuts down cleanly', () => {
    const network = fakeNetwork()
    const states: StreamState['is'][] = []
    const stream = openStream({
      name: 'events',
      input: {},
      origin: 'ws://h',
      connect: network.connect,
      onFrame: () => {},
      onState: (state) => states.push(state.is),
    })
    network.last().drop(1000)
    expect(states.at(-1)).toBe('waiting')
    stream.close()
  })

  it('says nothing more once it is closed', () => {
    const network = fakeNetwork()
    const states: StreamState['is'][] = []
    const stream = openStream({
      name: 'metrics',
      input: {},
      origin: 'ws://h',
      connect: network.connect,
      onFrame: () => states.push('open'),
      onState: (state) => states.push(state.is),
    })
    const socket = network.last()
    stream.close()
    socket.send({ type: 'metrics' })
    socket.drop(1006)
    expect(states).toEqual(['connecting'])
  })
})
