import type { Config } from '../../config.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { createEngine } from '../../engine/engine.ts'
import { appVolumeName, ownedBy, volumeName } from '../../engine/labels.ts'
import type { Instance, LiveApp } from './store.ts'

const ANSWER_WITHIN_MS = 10_000

/** Live apps without a container on this machine, and those without their volumes: what is missing after a restore on a new machine. */
export async function missingFromEngine(config: Config, instance: Instance): Promise<{ apps: string[]; volumes: string[] }> {
  const engine = createEngine({ address: config.engine, log: { info: () => undefined, warn: () => undefined }, now: () => new Date() })
  const wanted = { labels: ownedBy({ instance: instance.id }), signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }
  const running = new Set((await engine.containers.list(wanted)).map(({ owner }) => owner.appId))
  const volumes = new Set((await engine.volumes.list(wanted)).map(({ name }) => name))
  const nameOf = ({ name, project }: LiveApp) => `${name} (project ${project})`
  return {
    apps: instance.liveApps.filter(({ id }) => !running.has(id)).map(nameOf),
    volumes: instance.liveApps
      // an app that runs may have been given a volume since, which its next deployment creates
      .filter(({ id, kind }) => kind === 'database' || !running.has(id))
      .filter((app) => volumesOfApp(instance.id, app).some((name) => !volumes.has(name)))
      .map(nameOf),
  }
}

function volumesOfApp(instance: string, app: LiveApp): string[] {
  if (app.kind === 'database') return [volumeName(instance, app.id)]
  return volumesOf(app).map(({ name }) => appVolumeName(instance, app.id, name))
}
