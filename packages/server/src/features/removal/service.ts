import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../engine/engine.ts'
import { appNetworkName, LABEL, projectNetworkName } from '../../engine/labels.ts'
import type { JobPayloads } from '../../queue/jobs.ts'
import type { Reader } from '../../store/database.ts'
import { findApp, findProject } from '../../store/rows.ts'

type Deps = { db: Reader; engine: Engine; instance: string; dataDir: string; onRemoved: () => void }

/** Takes away everything that a deleted app owned outside the database, found by label: by now nobody else remembers it. */
export function createRemoval(deps: Deps) {
  const { db, engine, instance } = deps

  async function removeApp({ appId, projectId, deleteVolumes }: JobPayloads['app.remove'], signal: AbortSignal): Promise<void> {
    if (await findApp(db, appId)) return // a job that outlived a restored backup must not touch a living app
    deps.onRemoved()
    const labels = { [LABEL.instance]: instance, [LABEL.app]: String(appId) }
    for (const container of await engine.containers.list({ labels, signal })) await engine.containers.remove(container.id, signal)
    for (const image of await engine.images.list({ labels, signal })) for (const tag of image.tags) await engine.images.remove(tag, signal)
    await engine.networks.remove(appNetworkName(instance, appId), signal)
    if (deleteVolumes) for (const volume of await engine.volumes.list({ labels, signal })) await engine.volumes.remove(volume.name, signal)
    await rm(join(deps.dataDir, 'compose', `app-${appId}`), { recursive: true, force: true })
    if (!(await findProject(db, projectId))) await removeNetwork(projectId, signal)
  }

  /** The last app of a deleted project takes the network along; one that is still used refuses, and goes with a later app. */
  async function removeNetwork(projectId: number, signal: AbortSignal): Promise<void> {
    const labels = { [LABEL.instance]: instance, [LABEL.project]: String(projectId) }
    if ((await engine.containers.list({ labels, signal })).length === 0)
      await engine.networks.remove(projectNetworkName(instance, projectId), signal)
  }

  return { removeApp }
}
