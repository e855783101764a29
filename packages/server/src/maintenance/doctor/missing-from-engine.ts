import type { Config } from '../../config.ts'
import { createEngine } from '../../engine/engine.ts'
import { ownedBy, volumeName } from '../../engine/labels.ts'
import type { Instance, LiveApp } from './store.ts'

const ANSWER_WITHIN_MS = 10_000

/** Live apps without a container on this machine, and databases without their volume: what is missing after a restore on a new machine. */
export async function missingFromEngine(config: Config, instance: Instance): Promise<{ apps: string[]; volumes: string[] }> {
  const engine = createEngine({ address: config.engine, log: { info: () => undefined, warn: () => undefined }, now: () => new Date() })
  const wanted = { labels: ownedBy({ instance: instance.id }), signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }
  const running = new Set((await engine.containers.list(wanted)).map(({ owner }) => owner.appId))
  const volumes = new Set((await engine.volumes.list(wanted)).map(({ name }) => name))
  const nameOf = ({ name, project }: LiveApp) => `${name} (project ${project})`
  return {
    apps: instance.liveApps.filter(({ id }) => !running.has(id)).map(nameOf),
    volumes: instance.liveApps.filter(({ id, kind }) => kind === 'database' && !volumes.has(volumeName(instance.id, id))).map(nameOf),
  }
}
