import type { Readable } from 'node:stream'
import { EngineError, ServerAway } from '../api/errors.ts'
import { field, items, text } from '../api/json.ts'
import { LABEL, ownerOf } from '../labels.ts'
import { refusalOf } from './agent-answer.ts'
import { type AgentArchives, ArchiveRefused } from './agent-archives.ts'
import type { AgentCalls } from './agent-calls.ts'
import { LOAD_CALL } from './agent-program.ts'
import { newVolumeCall, VOLUMES_CALL, volumeCall } from './agent-volumes-program.ts'
import type { Placement } from './placement.ts'

type Deps = {
  placement: Pick<Placement, 'serverOf'>
  /** Undefined without agents. */
  agents:
    | {
        send: AgentCalls['send']
        archives: AgentArchives
        addressOf: (place: { instance: string; nodeId: string }) => Promise<string | undefined>
      }
    | undefined
}
/** A volume of an app on another server. `isUsed`: a container that has not ended has it. */
export type PlacedVolume = { readonly name: string; readonly isUsed: boolean }
export type OnServer = { readonly instance: string; readonly serverId: string }
type Call = { readonly method: string; readonly path: string }

const ANSWER_MS = 15_000
const REMOVAL_MS = 600_000

/** Volumes of apps on other servers, which only their agents reach. A server that does not answer is an error, so that it is not taken for one without volumes. */
export function createPlacedVolumes({ placement, agents }: Deps) {
  async function agentAt({ instance, serverId }: OnServer) {
    const server = await placement.serverOf(serverId)
    if (server === undefined) throw new ServerAway(`The server ${serverId} is not one of the servers any more.`)
    if (!server.isReady) throw new ServerAway(`The server ${server.name} does not answer. See Servers.`)
    const address = await agents?.addressOf({ instance, nodeId: server.nodeId })
    if (agents === undefined || address === undefined) throw agentSilent(server.name)
    return { server, ...agents, place: { nodeId: server.nodeId, address } }
  }

  async function send(at: OnServer, call: Call, { withinMs = ANSWER_MS, signal }: { withinMs?: number; signal?: AbortSignal | undefined }) {
    const found = await agentAt(at)
    const answer = await found.send(found.place, { ...call, withinMs }, signal).catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw agentSilent(found.server.name, cause)
    })
    const { status } = answer
    if (status !== 200 && status !== 404) throw new EngineError(status, `On the server ${found.server.name}: ${refusalOf(answer)}`)
    return answer
  }

  /** Undefined if the volume is not there. */
  async function look(at: OnServer, name: string, signal?: AbortSignal): Promise<PlacedVolume | undefined> {
    const { status, value } = await send(at, { method: 'GET', path: volumeCall(name) }, { signal })
    return status === 404 ? undefined : { name, isUsed: field(value, 'isUsed') !== false }
  }

  async function ensure(serverId: string, name: string, labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    const { projectId } = ownerOf(labels)
    await send(
      { instance: labels[LABEL.instance] ?? '', serverId },
      { method: 'PUT', path: newVolumeCall(name, projectId ?? 0) },
      { signal },
    )
  }

  async function remove(at: OnServer, name: string, signal?: AbortSignal): Promise<void> {
    await send(at, { method: 'DELETE', path: volumeCall(name) }, { withinMs: REMOVAL_MS, signal })
  }

  /** The names of the volumes of all apps. */
  async function list(at: OnServer, signal?: AbortSignal): Promise<string[]> {
    return items((await send(at, { method: 'GET', path: VOLUMES_CALL }, { signal })).value).map(text)
  }

  /** On the disk of the engine there, without what is reserved for root. Unlimited if its agent is of an older Berth, which does not say it. */
  async function freeBytes(at: OnServer, signal?: AbortSignal): Promise<number> {
    const { value } = await send(at, { method: 'GET', path: LOAD_CALL }, { signal })
    const free = field(value, 'freeBytes')
    return typeof free === 'number' ? free : Number.POSITIVE_INFINITY
  }

  /** Reads the contents of a volume as they arrive. */
  async function read(at: OnServer, name: string, work: (archive: AsyncIterable<Buffer>) => Promise<void>, signal: AbortSignal) {
    const { server, archives, place } = await agentAt(at)
    await archives.read(place, name, work, signal).catch((cause: unknown) => {
      throw withServer(cause, server.name)
    })
  }

  async function write(at: OnServer, name: string, archive: Readable, signal: AbortSignal): Promise<void> {
    const { server, archives, place } = await agentAt(at)
    await archives.write(place, name, archive, signal).catch((cause: unknown) => {
      throw withServer(cause, server.name)
    })
  }

  return { look, ensure, remove, list, freeBytes, read, write }
}

function agentSilent(server: string, cause?: unknown): ServerAway {
  const toDo = 'Try again in a minute; if that does not help, check the server: see Servers.'
  return new ServerAway(`The agent on the server ${server} does not answer. ${toDo}`, { cause })
}

function withServer(cause: unknown, server: string): unknown {
  return cause instanceof ArchiveRefused ? new EngineError(500, `On the server ${server}: ${cause.message}`) : cause
}

export type PlacedVolumes = ReturnType<typeof createPlacedVolumes>
