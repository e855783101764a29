import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { ownedBy } from '../engine/labels.ts'
import { coalesce } from '../lib/coalesce.ts'

export type LookDeps = { engine: { containers: Pick<Engine['containers'], 'list'> }; instance: string }

/** The containers of each app, as last listed by the engine. */
export function createContainerLooks({ engine, instance }: LookDeps) {
  const seen = new Map<number, { look: number; containers: readonly ContainerSummary[] }>()
  let looks = 0
  let hasSeenAll = false

  async function list(of: { appId?: number }): Promise<ContainerSummary[]> {
    return await engine.containers.list({ labels: ownedBy({ instance, ...of }) })
  }

  /** Of two overlapping listings, the one that started later counts, whichever ends last. */
  function keep(appId: number, look: number, containers: readonly ContainerSummary[]): void {
    if ((seen.get(appId)?.look ?? 0) < look) seen.set(appId, { look, containers })
  }

  /** Lists all apps. Calls during a listing share the next one. */
  const lookAtAll = coalesce(async () => {
    const look = (looks += 1)
    const found = Map.groupBy(await list({}), ({ owner }) => owner.appId)
    for (const appId of new Set([...seen.keys(), ...found.keys()])) if (appId !== null) keep(appId, look, found.get(appId) ?? [])
    hasSeenAll = true
  })

  /** Lists one app. The first listing is always of all apps: until then the others are unknown. */
  async function lookAt(appId: number): Promise<void> {
    if (!hasSeenAll) return await lookAtAll()
    const look = (looks += 1)
    keep(appId, look, await list({ appId }))
  }

  return {
    lookAtAll,
    lookAt,
    hasSeenAll: () => hasSeenAll,
    of: (appId: number): readonly ContainerSummary[] => seen.get(appId)?.containers ?? [],
  }
}
