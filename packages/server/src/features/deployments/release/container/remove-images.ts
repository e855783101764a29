import type { Engine } from '../../../../engine/engine.ts'
import { ownedBy } from '../../../../engine/labels.ts'

/** Removes the images that a deployment built. They are found by label, because the name of an image may not be recorded yet. */
export function createRemoveImages({ engine, instance }: { engine: Pick<Engine, 'images'>; instance: string }) {
  return async function removeImages(appId: number, deploymentId: number): Promise<void> {
    const labels = ownedBy({ instance, appId, deploymentId })
    for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
  }
}
