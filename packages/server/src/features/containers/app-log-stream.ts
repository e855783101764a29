import { setTimeout as sleep } from 'node:timers/promises'
import type { AppLogFrame } from '@berth/contract'
import { mainProcessName } from '../../domain/processes.ts'
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
/** What one person follows. */
type Followed = { streams: number; containers: number }

const DEFAULT_TAIL = 100
/** New containers, of a deployment or of a service that was started, are found within this time. */
const LOOK_MS = 2000
const MOST_STREAMS = 20
const TOO_MANY = `At most ${MOST_STREAMS} logs of whole apps can be followed at a time. Close some pages, then try again.`
/** Each takes a connection to the engine. All services of a stack are fewer, and so are the replicas of one process. */
const MOST_CONTAINERS = 40
const TOO_LARGE = `At most ${MOST_CONTAINERS} containers can be followed as one log, and the app has more. Choose one service or process.`
const MOST_OF_PERSON = 128
const TOO_MANY_CONTAINERS = `The logs of at most ${MOST_OF_PERSON} containers can be followed at a time. Close some pages, then try again.`
const UP: readonly string[] = ['running', 'restarting', 'paused']

/**
 * Streams the output of all containers of the live release. The last lines come first, in order of time; from then on each line comes as
 * it is printed. It goes on with the containers of the next release.
 */
export function createAppLogStream({ engine, liveRelease, now }: Deps): Pick<Streams, 'app.logs'> {
  const followedBy = new Map<number, Followed>()
  const { sendLast, followOne } = createReaders({ engine, now })

  async function containersOf(app: AppRow, service: string | undefined, signal: AbortSignal): Promise<ContainerSummary[]> {
    const release = await whileAway(async () => await liveRelease(app, signal), signal)
    const main = mainProcessName(app)
    return (release?.containers ?? []).filter(({ owner }) => service === undefined || (owner.service ?? main) === service)
  }

  /** Returns why it ended, unless whoever reads it has left. */
  async function followAll(app: AppRow, { service, ...wanted }: Wanted, peer: Peer, own: Followed): Promise<string | undefined> {
    const ended = new AbortController()
    const signal = AbortSignal.any([peer.signal, ended.signal])
    const following = createFollowing(async (each, seen) => await followOne(each, seen, { ...peer, signal }), { own, signal })
    let read: Read | undefined
    try {
      while (!signal.aborted) {
        following.throwFailure()
        const containers = await containersOf(app, service, signal)
        if (containers.length > MOST_CONTAINERS) return TOO_LARGE
        read ??= await whileAway(async () => await sendLast(containers, wanted, peer), signal)
        if (read && !following.start(containers, read)) return TOO_MANY_CONTAINERS
        await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
      }
      return undefined
    } finally {
      ended.abort()
      await following.end()
    }
  }

  return {
    'app.logs': async ({ caller, app, input: { tail = DEFAULT_TAIL, since, service }, send, room, signal }) => {
      const own = followedBy.get(caller.id) ?? { streams: 0, containers: 0 }
      const end = (message: string) => send({ type: 'end', timestamp: now().toISOString(), data: { message } })
      if (own.streams >= MOST_STREAMS) return end(TOO_MANY)
      followedBy.set(caller.id, own)
      own.streams += 1
      try {
        const wanted = { tail, ...(since !== undefined && { since }), ...(service !== undefined && { service }) }
        const why = await followAll(app, wanted, { send, room, signal }, own)
        if (why !== undefined) end(why)
      } finally {
        own.streams -= 1
        if (own.streams === 0) followedBy.delete(caller.id)
      }
    },
  }
}

/** The containers that one stream follows, each counted among those of the person. */
function createFollowing(
  followOne: (container: ContainerSummary, seen: Read) => Promise<void>,
  { own, signal }: { own: Followed; signal: AbortSignal },
) {
  const following = new Map<string, Promise<void>>()
  let failure: { cause: unknown } | undefined

  function follow(container: ContainerSummary, seen: Read): void {
    own.containers += 1
    const one = whileAway(async () => await followOne(container, seen), signal)
      .catch((cause: unknown) => {
        failure = { cause }
      })
      .finally(() => {
        own.containers -= 1
        following.delete(container.id)
      })
    following.set(container.id, one)
  }

  return {
    /** Those that are new, or were started again. Returns false if the person follows too many. */
    start(containers: readonly ContainerSummary[], seen: Read): boolean {
      for (const each of containers) {
        if (following.has(each.id) || (seen.has(each.id) && !UP.includes(each.state))) continue
        if (own.containers >= MOST_OF_PERSON) return false
        follow(each, seen)
      }
      return true
    },
    throwFailure(): void {
      if (failure) throw failure.cause
    },
    end: async (): Promise<void> => void (await Promise.all(following.values())),
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
      read.set(id, newest.items().at(-1)?.at ?? wanted.since)
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
