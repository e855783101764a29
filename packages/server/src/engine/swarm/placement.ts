import { EngineUnreachable } from '../api/errors.ts'
import type { SwarmNode } from './nodes.ts'
import { type Swarm, SwarmUnavailable } from './swarm.ts'

type Deps = {
  swarm: Pick<Swarm, 'state' | 'nodes'>
  /** What containers on other servers need, in a sentence if it is missing. */
  whyNot: () => string
}

/** Whether there is a Swarm of ours, asked for once; and whether it has a server that can take containers of apps. */
export function createPlacement({ swarm, whyNot }: Deps) {
  let known: boolean | undefined

  /** While that is not known, what runs is not known either: then the engine counts as away. */
  async function isSwarm(instance: string): Promise<boolean> {
    try {
      known ??= (await swarm.state(instance)).is === 'ours'
      return known
    } catch (cause) {
      if (cause instanceof SwarmUnavailable) throw new EngineUnreachable(`the Swarm does not answer: ${cause.message}`, { cause })
      throw cause
    }
  }

  /** Swarm was switched on or off, or does not answer any more. */
  function forget(): void {
    known = undefined
  }

  /** Paused ones take no new containers, and those that have not passed their check none at all. */
  async function openNodes(): Promise<SwarmNode[]> {
    return (await swarm.nodes()).filter((node) => node.isReady && node.isChecked && node.availability === 'active')
  }

  async function isOpen(instance: string): Promise<boolean> {
    return whyNot() === '' && (await isSwarm(instance)) && (await openNodes()).length > 0
  }

  const names = new Map<string, string>()

  /** The names of servers by Swarm's ids of them. Those that are known are not asked for again. */
  async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.some((id) => !names.has(id))) for (const { id, name } of await swarm.nodes()) names.set(id, name)
    return names
  }

  return { isSwarm, isOpen, namesOf, openNodes, forget, whyNot }
}

export type Placement = ReturnType<typeof createPlacement>
