import type { ContainerSpec } from './container-spec.ts'
import type { ContainerSummary } from './container-state.ts'
import type { Containers } from './containers.ts'
import type { AgentUsage } from './swarm/agent-usage.ts'
import type { Placement } from './swarm/placement.ts'
import { isServiceId, type ServiceContainers } from './swarm/service-containers.ts'

type Deps = {
  here: Containers
  services: ServiceContainers
  /** Without agents nothing is known about it. */
  usage: AgentUsage | undefined
  /** Without a Swarm of ours, services are never asked for. */
  placement: Pick<Placement, 'isSwarm'>
}

/** The containers of this engine, and in a Swarm also those that it has placed. Their ids tell which is which. */
export function createPlacedContainers({ here, services, usage, placement }: Deps): Containers {
  const of = (id: string) => (isServiceId(id) ? services : here)

  async function list(wanted: Parameters<Containers['list']>[0]): Promise<ContainerSummary[]> {
    const own = await here.list(wanted)
    return (await placement.isSwarm()) ? [...own, ...(await services.list(wanted))] : own
  }

  return {
    list,
    inspect: async (id, signal) => await of(id).inspect(id, signal),
    start: async (spec: ContainerSpec, signal) => await (spec.servers === undefined ? here : services).start(spec, signal),
    startAgain: async (id, signal) => await of(id).startAgain(id, signal),
    stop: async (id, graceSeconds, signal) => await of(id).stop(id, graceSeconds, signal),
    restart: async (id, graceSeconds, signal) => await of(id).restart(id, graceSeconds, signal),
    remove: async (id, signal, options) => (isServiceId(id) ? await services.remove(id, signal) : await here.remove(id, signal, options)),
    // the files of a process on another server cannot be read from here
    listeningPorts: async (id, signal) => (isServiceId(id) ? null : await here.listeningPorts(id, signal)),
    stats: async (id, signal) => (isServiceId(id) ? ((await usage?.stats(id, signal)) ?? null) : await here.stats(id, signal)),
    counters: async (id, signal) => (isServiceId(id) ? ((await usage?.counters(id, signal)) ?? null) : await here.counters(id, signal)),
  }
}
