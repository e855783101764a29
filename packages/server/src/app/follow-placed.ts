import type { Engine } from '../engine/engine.ts'
import { ownedBy } from '../engine/labels.ts'
import type { EngineWatch } from '../features/health/engine-watch.ts'
import type { Routing } from '../routing/routing.ts'

type Deps = {
  engine: Pick<Engine, 'placement' | 'containers'>
  engineWatch: Pick<EngineWatch, 'isReachable'>
  routing: Pick<Routing, 'containersChanged'>
  instance: string
  wake: (name: string) => void
}

/** Looks where Swarm runs containers of apps now, and lets the edge follow. Without a Swarm it asks the engine nothing. */
export function createFollowPlaced({ engine, engineWatch, routing, instance, wake }: Deps) {
  let seen = new Map<string, { appId: number; is: string }>()

  return async function followPlaced(): Promise<void> {
    if (!engineWatch.isReachable() || !(await engine.placement.isSwarm())) return
    const placed = (await engine.containers.list({ labels: ownedBy({ instance }) })).filter(({ nodeId }) => nodeId !== undefined)
    const now = new Map(
      placed.map(({ id, owner, state, ips, lastIps, nodeId }) => [
        id,
        { appId: owner.appId ?? 0, is: JSON.stringify([state, ips, lastIps, nodeId]) },
      ]),
    )
    const changed = [...new Set([...now.keys(), ...seen.keys()])].filter((id) => now.get(id)?.is !== seen.get(id)?.is)
    const apps = new Set(changed.flatMap((id) => now.get(id)?.appId ?? seen.get(id)?.appId ?? []))
    seen = now
    for (const appId of apps) routing.containersChanged(appId)
    if (apps.size > 0) wake('reconcile')
  }
}
