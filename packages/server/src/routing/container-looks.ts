import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { ownedBy } from '../engine/labels.ts'
import { coalesce } from '../lib/coalesce.ts'

export type LookDeps = { engine: { containers: Pick<Engine['containers'], 'list'> }; instance: string }

/** The containers of each app, as the engine listed them last. */
export function createContainerLooks({ engine, instance }: LookDeps) {
  const seen = new Map<number, { look: number; containers: readonly ContainerSummary[] }>()
  let looks = 0
  let hasSeenAll = false

  async function list(of: { appId?: number }): Promise<ContainerSummary[]> {
    return await engine.containers.list({ labels: ownedBy({ instance, ...of }) })
  }

  /** Of two looks that overlap, the one that began later is right, whichever ends last. */
  function keep(appId: number, look: number, containers: readonly ContainerSummary[]): void {
    if ((seen.get(appId)?.look ?? 0) < look) seen.set(appId, { look, containers })
  }

  /** At everything. Calls during one look share the next one. */
  const lookAtAll = coalesce(async () => {
    const look = (looks += 1)
    const found = Map.groupBy(await list({}), ({ owner }) => owner.appId)
    for (const appId of new Set([...seen.keys(), ...found.keys()])) if (appId !== null) keep(appId, look, found.get(appId) ?? [])
    hasSeenAll = true
  })

  /** At one app. The first look is at everything: until then nobody can say where the others are. */
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
