import { count, field } from '../api/json.ts'
import { type ContainerCounters, type ContainerUsage, countersOf, usageOf } from '../container-usage.ts'
import { agentAddresses } from './agent-addresses.ts'
import type { AgentCalls } from './agent-calls.ts'
import { endCall, LOAD_CALL, statsCall } from './agent-program.ts'
import type { ServiceCalls } from './service-calls.ts'
import { currentTask, tasksOf } from './service-state.ts'

type Deps = { calls: Pick<ServiceCalls, 'inspect' | 'list'>; agents: AgentCalls; now: () => Date }

/** Swarm's id of a server, in the Swarm of an instance. */
type Place = { readonly instance: string; readonly nodeId: string }
/** Whose container is asked about. */
type OfProject = Place & { readonly project: number }
export type ServerLoad = { readonly cpu: number; readonly memory: number }

/** Addresses of agents change only when they are replaced. */
const KNOWN_MS = 5000

/** How much the containers use that Swarm has placed, as their agents tell. Null if that cannot be known now: it is never worth an error. */
export function createAgentUsage({ calls, agents, now }: Deps) {
  let known: { instance: string; until: number; addresses: Promise<ReadonlyMap<string, string>> } | undefined

  /** By Swarm's ids of servers. Many containers are measured at once, and share one look. */
  async function addresses(instance: string): Promise<ReadonlyMap<string, string>> {
    if (known === undefined || known.instance !== instance || known.until < now().getTime())
      known = { instance, until: now().getTime() + KNOWN_MS, addresses: agentAddresses(calls, { instance, kind: 'agent' }) }
    return await known.addresses
  }

  async function ask({ instance, nodeId, project }: OfProject, call: string, signal?: AbortSignal): Promise<unknown> {
    try {
      const address = (await addresses(instance)).get(nodeId)
      return address === undefined ? null : await agents.get({ nodeId, address, project }, call, signal)
    } catch {
      signal?.throwIfAborted()
      return null // no leader, for example
    }
  }

  async function read(id: string, isOneShot: boolean, signal?: AbortSignal): Promise<unknown> {
    const found = await calls.inspect(id, signal).catch(() => null)
    signal?.throwIfAborted()
    const task = found && currentTask(tasksOf(found.service, found.tasks))
    const { instance = null, projectId = null } = found?.service.owner ?? {}
    if (!task || task.state !== 'running' || task.containerId === '' || instance === null) return null
    return await ask({ instance, nodeId: task.nodeId, project: projectId ?? 0 }, statsCall(task.containerId, { isOneShot }), signal)
  }

  return {
    /** Where the agent of a server is; undefined if it has none that runs. */
    addressOf: async ({ instance, nodeId }: Place): Promise<string | undefined> => (await addresses(instance)).get(nodeId),
    stats: async (id: string, signal?: AbortSignal): Promise<ContainerUsage | null> => {
      const found = await read(id, false, signal)
      return found === null ? null : usageOf(found)
    },
    counters: async (id: string, signal?: AbortSignal): Promise<ContainerCounters | null> => {
      const found = await read(id, true, signal)
      return found === null ? null : countersOf(found)
    },
    /** Of another server, in percent. */
    load: async (place: Place): Promise<ServerLoad | null> => {
      const found = await ask({ ...place, project: 0 }, LOAD_CALL)
      return found === null ? null : { cpu: percent(field(found, 'cpu')), memory: percent(field(found, 'memory')) }
    },
    /** Whether a container there was killed because it ran out of memory. */
    ranOutOfMemory: async (place: OfProject, containerId: string, signal?: AbortSignal): Promise<boolean> =>
      field(await ask(place, endCall(containerId), signal), 'oomKilled') === true,
  }
}

/** It is what another server says. */
function percent(value: unknown): number {
  return Math.round(Math.min(100, Math.max(0, count(value))) * 10) / 10
}

export type AgentUsage = ReturnType<typeof createAgentUsage>
