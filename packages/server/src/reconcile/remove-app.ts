import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobPayloads } from '../domain/job-names.ts'
import { findApp, findProject } from '../domain/rows.ts'
import { isConflict } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appNetworkName, ownedBy, projectNetworkName } from '../engine/labels.ts'
import type { Logger } from '../lib/logger.ts'
import type { Step } from '../lib/step.ts'
import type { Db } from '../store/database.ts'
import { createRemoveVolume } from './remove-volume.ts'

type Deps = {
  db: Db
  engine: Engine
  instance: string
  dataDir: string
  /** The volumes that the live release was started with. */
  liveVolumes: (appId: number) => Promise<string[]>
  step: Step
  now: () => Date
  log: Pick<Logger, 'warn'>
  onRemoved: () => void
}
type Labels = Readonly<Record<string, string>>

function unlessInUse(cause: unknown): void {
  if (!isConflict(cause)) throw cause
}

/** Removes everything that a deleted app owned outside the database. It is found by label, because its rows no longer exist. */
export function createRemoval(deps: Deps) {
  const { db, engine, instance, step } = deps

  async function removeApp({ appId, projectId, deleteVolumes }: JobPayloads['app.remove'], signal: AbortSignal): Promise<void> {
    if (await findApp(db, appId)) return // after a restored backup the app may exist again, and must not be touched
    deps.onRemoved()
    const labels = ownedBy({ instance, appId })
    await step('engine.remove_containers', async () => await removeContainers(labels, signal))
    await step('engine.remove_images', async () => await removeImages(labels, signal))
    await step('engine.remove_network', async () => await engine.networks.remove(appNetworkName(instance, appId), signal))
    if (deleteVolumes) await step('engine.remove_volumes', async () => await removeVolumes(labels, signal))
    await step('files.remove_plans', async () => await rm(join(deps.dataDir, 'compose', `app-${appId}`), { recursive: true, force: true }))
    if (!(await findProject(db, projectId)))
      await step('engine.remove_project_network', async () => await removeProjectNetwork(projectId, signal))
  }

  async function removeContainers(labels: Labels, signal: AbortSignal): Promise<void> {
    const [own, lent] = [await engine.containers.list({ labels, signal }), await engine.lentContainers.list({ labels, signal })]
    for (const { id } of [...own, ...lent]) await engine.containers.remove(id, signal)
  }

  /**
   * An image that was built again after a crash has lost its name, but its label says which app it belongs to. A foreign image may have
   * any label, so one that another app's container uses must not block the removal forever.
   */
  async function removeImages(labels: Labels, signal: AbortSignal): Promise<void> {
    for (const image of await engine.images.list({ labels, signal })) {
      const tags = image.tags.filter((tag) => !tag.startsWith('<none>'))
      for (const name of tags.length === 0 ? [image.id] : tags) await engine.images.remove(name, signal).catch(unlessInUse)
    }
  }

  async function removeVolumes(labels: Labels, signal: AbortSignal): Promise<void> {
    for (const volume of await engine.volumes.list({ labels, signal })) await engine.volumes.remove(volume.name, signal)
  }

  /** The last app of a deleted project also removes its network. The engine refuses while it is in use; then a later app removes it. */
  async function removeProjectNetwork(projectId: number, signal: AbortSignal): Promise<void> {
    const labels = ownedBy({ instance, projectId })
    if ((await engine.containers.list({ labels, signal })).length === 0)
      await engine.networks.remove(projectNetworkName(instance, projectId), signal)
  }

  return { removeApp, removeVolume: createRemoveVolume(deps) }
}
