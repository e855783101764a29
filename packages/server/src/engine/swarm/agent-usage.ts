import { type ContainerCounters, type ContainerUsage, countersOf, usageOf } from '../container-usage.ts'
import { labelsOf } from '../labels.ts'
import type { AgentCalls } from './agent-calls.ts'
import type { ServiceCalls } from './service-calls.ts'
import { currentTask, tasksOf } from './service-state.ts'

type Deps = { calls: Pick<ServiceCalls, 'inspect' | 'list'>; agents: AgentCalls; now: () => Date }

/** Addresses of agents change only when they are replaced. */
const KNOWN_MS = 5000

/** How much the containers use that Swarm has placed, as their agents tell. Null if that cannot be known now: it is never worth an error. */
export function createAgentUsage({ calls, agents, now }: Deps) {
  let known: { instance: string; until: number; addresses: Promise<ReadonlyMap<string, string>> } | undefined

  async function look(instance: string): Promise<ReadonlyMap<string, string>> {
    const { services, tasks } = await calls.list(labelsOf({ instance, kind: 'agent' }))
    const current = services.flatMap((service) => currentTask(tasksOf(service, tasks)) ?? [])
    return new Map(current.filter(({ state }) => state === 'running').map(({ nodeId, address }) => [nodeId, address]))
  }

  /** By Swarm's ids of nodes. Many containers are measured at once, and share one look. */
  async function addresses(instance: string): Promise<ReadonlyMap<string, string>> {
    if (known === undefined || known.instance !== instance || known.until < now().getTime())
      known = { instance, until: now().getTime() + KNOWN_MS, addresses: look(instance) }
    return await known.addresses
  }

  async function read(id: string, query: string, signal?: AbortSignal): Promise<unknown> {
    try {
      const found = await calls.inspect(id, signal)
      const task = found && currentTask(tasksOf(found.service, found.tasks))
      const instance = found?.service.owner.instance ?? null
      if (!task || task.state !== 'running' || task.containerId === '' || instance === null) return null
      const address = (await addresses(instance)).get(task.nodeId)
      if (address === undefined) return null
      return await agents.get({ nodeId: task.nodeId, address }, `/containers/${task.containerId}/stats?${query}`, signal)
    } catch {
      signal?.throwIfAborted()
      return null // no leader, for example
    }
  }

  return {
    stats: async (id: string, signal?: AbortSignal): Promise<ContainerUsage | null> => {
      const found = await read(id, 'stream=false', signal)
      return found === null ? null : usageOf(found)
    },
    counters: async (id: string, signal?: AbortSignal): Promise<ContainerCounters | null> => {
      const found = await read(id, 'stream=false&one-shot=true', signal)
      return found === null ? null : countersOf(found)
    },
  }
}

export type AgentUsage = ReturnType<typeof createAgentUsage>
