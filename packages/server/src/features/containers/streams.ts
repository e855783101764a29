import type { ContainerFrame } from '@berth/contract'
import { EngineUnreachable } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Streams } from '../../http/websocket.ts'
import { createCounts } from '../../lib/counts.ts'

type Deps = { engine: Pick<Engine, 'containers' | 'logs'>; now: () => Date }
type LogsWanted = { tail: number; since?: string }
type Peer = { send: (frame: ContainerFrame) => void; room: () => Promise<void>; signal: AbortSignal }

const DEFAULT_TAIL = 100
const REATTACH_MS = 1000
const MOST_STREAMS = 50
const TOO_MANY = `At most ${MOST_STREAMS} logs of containers can be followed at a time. Close some pages, then try again.`

/** Streams the output of a container. After a restart of the container or the engine it resumes after the last line. */
export function createContainerStreams({ engine, now }: Deps) {
  function frame<F extends ContainerFrame>(type: F['type'], data: F['data']): ContainerFrame {
    return { type, timestamp: now().toISOString(), data } as ContainerFrame // the caller pairs type and data
  }

  async function pause(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REATTACH_MS)
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }

  async function follow(id: string, wanted: LogsWanted, peer: Peer): Promise<void> {
    let since: string | undefined
    while (!peer.signal.aborted) {
      const details = await engine.containers.inspect(id)
      if (!details) return peer.send(frame('end', { message: 'The container no longer exists.' }))
      const hasEnded = details.state !== 'running' && details.state !== 'restarting'
      if (hasEnded && since !== undefined) return peer.send(frame('end', { message: `The container has stopped (${details.status}).` }))
      if (since === undefined) peer.send(frame('status', { container: id, state: details.state, status: details.status }))
      const options = { follow: true, signal: peer.signal, ...(since === undefined || since === '' ? wanted : { since }) }
      since ??= ''
      for await (const { at, line, stream } of engine.logs(details, options)) {
        since = at
        await peer.room() // the engine keeps the rest in the meantime
        peer.send(frame('log', { line, stream, at }))
      }
      if (!peer.signal.aborted) await pause(peer.signal) // a restarting container is back by then
    }
  }

  /** Also over times in which the engine does not respond. */
  async function followWhileAway(id: string, wanted: LogsWanted, peer: Peer): Promise<void> {
    while (!peer.signal.aborted) {
      try {
        return await follow(id, wanted, peer)
      } catch (cause) {
        if (peer.signal.aborted) return
        if (!(cause instanceof EngineUnreachable)) throw cause
        await pause(peer.signal)
      }
    }
  }

  /** By person. */
  const streams = createCounts<number>()
  return {
    'container.logs': async ({ caller, container, input, send, room, signal }) => {
      if (streams.of(caller.id) >= MOST_STREAMS) return send(frame('end', { message: TOO_MANY }))
      const wanted = { tail: input.tail ?? DEFAULT_TAIL, ...(input.since !== undefined && { since: input.since }) }
      streams.add(caller.id)
      try {
        await followWhileAway(container.id, wanted, { send, room, signal })
      } finally {
        streams.remove(caller.id)
      }
    },
  } satisfies Partial<Streams>
}
