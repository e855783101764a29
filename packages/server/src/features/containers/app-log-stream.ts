import { setTimeout as sleep } from 'node:timers/promises'
import type { AppLogFrame } from '@berth/contract'
import type { AppRow } from '../../domain/rows.ts'
import { EngineError, EngineUnreachable } from '../../engine/api/errors.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Streams } from '../../http/websocket.ts'
import type { LiveRelease } from './live-release.ts'
import type { ServiceLine } from './log-cursor.ts'
import { printerOf } from './log-services.ts'
import { createNewest } from './log-window.ts'

type Deps = { engine: Pick<Engine, 'containers' | 'logs'>; liveRelease: LiveRelease; now: () => Date }
type Peer = { send: (frame: AppLogFrame) => void; room: () => Promise<void>; signal: AbortSignal }
type Wanted = { tail: number; since?: string; service?: string }
/** Which container was read up to which time; without a time, none of its lines was. */
type Read = Map<string, string | undefined>

const DEFAULT_TAIL = 100
/** New containers, of a deployment or of a service that was started, are found within this time. */
const LOOK_MS = 2000
/** Each takes a connection to the engine for every container of its app. */
const MOST_STREAMS = 20
const TOO_MANY = `At most ${MOST_STREAMS} logs of whole applications can be followed at a time. Close some pages, then try again.`
const UP: readonly string[] = ['running', 'restarting', 'paused']

/**
 * Streams the output of all containers of the live release. The last lines come first, in order of time; from then on each line comes as
 * it is printed. It goes on with the containers of the next release.
 */
export function createAppLogStream({ engine, liveRelease, now }: Deps): Pick<Streams, 'app.logs'> {
  const streams = new Map<number, number>()
  const { sendLast, followOne } = createReaders({ engine, now })

  async function followAll(app: AppRow, { service, ...wanted }: Wanted, peer: Peer): Promise<void> {
    const { signal } = peer
    const following = new Map<string, Promise<void>>()
    let read: Read | undefined
    let failure: { cause: unknown } | undefined
    while (!signal.aborted) {
      if (failure) throw failure.cause
      const release = await whileAway(async () => await liveRelease(app, signal), signal)
      const containers = (release?.containers ?? []).filter(({ owner }) => service === undefined || owner.service === service)
      read ??= await whileAway(async () => await sendLast(containers, wanted, peer), signal)
      for (const each of containers) {
        if (read === undefined || following.has(each.id) || (read.has(each.id) && !UP.includes(each.state))) continue
        const seen = read
        const one = whileAway(async () => await followOne(each, seen, peer), signal)
          .catch((cause: unknown) => {
            failure = { cause }
          })
          .finally(() => following.delete(each.id))
        following.set(each.id, one)
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
    }
    await Promise.all(following.values())
  }

  return {
    'app.logs': async ({ caller, app, input: { tail = DEFAULT_TAIL, since, service }, send, room, signal }) => {
      const open = streams.get(caller.id) ?? 0
      if (open >= MOST_STREAMS) return send({ type: 'end', timestamp: now().toISOString(), data: { message: TOO_MANY } })
      streams.set(caller.id, open + 1)
      try {
        const wanted = { tail, ...(since !== undefined && { since }), ...(service !== undefined && { service }) }
        await followAll(app, wanted, { send, room, signal })
      } finally {
        const left = (streams.get(caller.id) ?? 1) - 1
        if (left === 0) streams.delete(caller.id)
        else streams.set(caller.id, left)
      }
    },
  }
}

function createReaders({ engine, now }: Omit<Deps, 'liveRelease'>) {
  const frameOf = (data: ServiceLine): AppLogFrame => ({ type: 'log', timestamp: now().toISOString(), data })

  async function sendLast(containers: readonly ContainerSummary[], wanted: Wanted, { send, room, signal }: Peer): Promise<Read> {
    const read: Read = new Map()
    let last: ServiceLine[] = []
    for (const { id, owner } of containers) {
      const details = await engine.containers.inspect(id, signal)
      if (details === null) continue
      const newest = createNewest<ServiceLine>({ lines: wanted.tail })
      const by = printerOf(owner)
      for await (const { at, line, stream } of engine.logs(details, { ...wanted, signal })) newest.add({ at, line, stream, ...by })
      read.set(id, newest.items().at(-1)?.at)
      last = newestOf([...last, ...newest.items()], wanted.tail)
    }
    for (const line of last) {
      await room()
      send(frameOf(line))
    }
    return read
  }

  /** Until the container ends. After a restart it is followed again, from the last line on. */
  async function followOne({ id, owner }: ContainerSummary, read: Read, { send, room, signal }: Peer): Promise<void> {
    const details = await engine.containers.inspect(id, signal)
    if (details === null) return
    const since = read.get(id)
    read.set(id, since)
    const by = printerOf(owner)
    for await (const { at, line, stream } of engine.logs(details, { follow: true, signal, ...(since !== undefined && { since }) })) {
      read.set(id, at)
      await room() // the engine keeps the rest in the meantime
      send(frameOf({ at, line, stream, ...by }))
    }
  }

  return { sendLast, followOne }
}

/** While the engine does not respond, and from a container that is just being removed, there is nothing to read: the next look tries again. */
async function whileAway<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await work()
  } catch (cause) {
    if (signal.aborted || cause instanceof EngineUnreachable || cause instanceof EngineError) return undefined
    throw cause
  }
}

function newestOf(lines: ServiceLine[], most: number): ServiceLine[] {
  const newest = createNewest<ServiceLine>({ lines: most })
  for (const line of lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) newest.add(line)
  return newest.items()
}
