import { labelsOf } from '../labels.ts'
import type { ServiceCalls } from './service-calls.ts'
import { currentTask, tasksOf } from './service-state.ts'

/** The addresses of the agents of this kind that run, by Swarm's ids of their servers. */
export async function agentAddresses(
  services: Pick<ServiceCalls, 'list'>,
  of: { instance: string; kind: 'agent' | 'edge-agent' },
): Promise<ReadonlyMap<string, string>> {
  const found = await services.list(labelsOf(of))
  const current = found.services.flatMap((service) => currentTask(tasksOf(service, found.tasks)) ?? [])
  return new Map(current.filter(({ state }) => state === 'running').map(({ nodeId, address }) => [nodeId, address]))
}
