import type { Config } from '../../config.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { appVolumeName, composeProjectName, ownedBy, volumeName } from '../../engine/labels.ts'
import { creationCommand, type MissingVolume, missingVolumes } from '../../engine/missing-volumes.ts'
import { dataMountsOf } from '../../features/deployments/release/compose/data-mounts.ts'
import { hasPlan, keptPlan, planDirectory } from '../../features/deployments/release/compose/plan.ts'
import { openEngine } from '../open-engine.ts'
import type { Instance, LiveApp } from './store.ts'

type Mounts = readonly { readonly volume: string; readonly path: string }[]
/** `command` creates the volumes, so that their data can be copied into them. */
type MissingData = { readonly app: string; readonly names: readonly string[]; readonly command: string }

const ANSWER_WITHIN_MS = 10_000

/** Live apps without a container on this machine, and those without their volumes: what is missing after a restore on a new machine. */
export async function missingFromEngine(config: Config, instance: Instance): Promise<{ apps: string[]; volumes: MissingData[] }> {
  const engine = openEngine(config, instance)
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const listed = await engine.containers.list({ labels: ownedBy({ instance: instance.id }), signal })
  const running = new Set(listed.map(({ owner }) => owner.appId))
  const found = await engine.volumes.list({ labels: {}, signal })
  const volumes: MissingData[] = []
  for (const app of instance.liveApps) {
    // one that runs may have been given a volume since, which its next deployment creates
    if (app.kind !== 'database' && app.kind !== 'compose' && running.has(app.id)) continue
    const owner = { instance: instance.id, projectId: app.projectId, appId: app.id }
    const missing = missingVolumes(await mountsOf(config.dataDir, instance.id, app), found, owner)
    const command = creationCommand(
      owner,
      missing.map(({ volume }) => volume),
    )
    if (missing.length > 0) volumes.push({ app: nameOf(app), names: missing.map(wordsOf), command })
  }
  return { apps: instance.liveApps.filter(({ id }) => !running.has(id)).map(nameOf), volumes }
}

function nameOf({ name, project }: LiveApp): string {
  return `${name} (project ${project})`
}

function wordsOf({ volume, isThere }: MissingVolume): string {
  return isThere ? `${volume} (one without the labels of the app is there: copy its data elsewhere and remove it first)` : volume
}

async function mountsOf(dataDir: string, instance: string, app: LiveApp): Promise<Mounts> {
  if (app.kind === 'database') return [{ volume: volumeName(instance, app.id), path: '' }]
  if (app.kind !== 'compose') return volumesOf(app).map(({ name, path }) => ({ volume: appVolumeName(instance, app.id, name), path }))
  const directory = planDirectory(dataDir, app.id, app.deploymentId)
  return (await hasPlan(directory)) ? dataMountsOf(await keptPlan(directory), composeProjectName(instance, app.id)) : []
}
