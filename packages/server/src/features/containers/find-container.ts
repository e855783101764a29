import type { Engine } from '../../engine/engine.ts'
import { isServiceId } from '../../engine/swarm/service-containers.ts'

type Deps = { engine: Pick<Engine, 'containers'>; instance: string }

/** The app that a container belongs to, among our own containers: knowing an id grants no access. */
export function createFindContainer({ engine, instance }: Deps) {
  return async function findContainer(id: string): Promise<{ id: string; appId: number } | undefined> {
    if (!/^[0-9a-f]{12,64}$/.test(id) && !isServiceId(id)) return undefined
    const details = await engine.containers.inspect(id)
    if (details?.owner.instance !== instance || details.owner.appId === null) return undefined
    return { id: details.id, appId: details.owner.appId }
  }
}
