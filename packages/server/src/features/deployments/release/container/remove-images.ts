import type { Engine } from '../../../../engine/engine.ts'
import { ownedBy } from '../../../../engine/labels.ts'

/** The images that a deployment built. Found by label: one that was built and not noted yet has a name that nobody knows. */
export function createRemoveImages({ engine, instance }: { engine: Pick<Engine, 'images'>; instance: string }) {
  return async function removeImages(appId: number, deploymentId: number): Promise<void> {
    const labels = ownedBy({ instance, appId, deploymentId })
    for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
  }
}
