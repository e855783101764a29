import type { SwarmNode } from '../../engine/swarm/nodes.ts'

export type Seen = Pick<SwarmNode, 'serverId' | 'isChecked' | 'isReady'>

/** The servers that wait for a check: those that have not passed one, and those that were down since, because a reboot may have changed them. */
export function createWaiting(onReturned: (serverId: string) => void) {
  const down = new Set<string>()
  const returned = new Set<string>()
  /** Undefined as long as there is no Swarm of ours. */
  let unchecked: readonly string[] | undefined

  function see(others: readonly Seen[] | undefined): void {
    unchecked = others?.filter(({ isChecked }) => !isChecked).map(({ serverId }) => serverId)
    for (const { serverId, isReady } of others ?? []) {
      if (!isReady) down.add(serverId)
      if (!isReady || !down.delete(serverId)) continue
      onReturned(serverId)
      returned.add(serverId)
    }
  }

  return {
    see,
    list: (): readonly string[] | undefined => unchecked && [...new Set([...unchecked, ...returned])],
    done: (serverId: string): void => void returned.delete(serverId),
  }
}
