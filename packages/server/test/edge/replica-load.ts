import { createHaproxyRuntime } from '../../src/edge/haproxy/runtime.ts'
import type { ContainerSummary } from '../../src/engine/container-state.ts'
import { ownedBy } from '../../src/engine/labels.ts'
import { type EdgeLab, type LabApp, until } from '../../testing/labs/edge-lab.ts'

type Scene = { lab: EdgeLab; app: LabApp }
/** After the process of one replica was killed: until it had no visitors, and until it had visitors again. */
export type LostReplica = { outMs: number; backMs: number }

async function runningOf({ lab, app }: Scene): Promise<ContainerSummary[]> {
  const found = await lab.engine.containers.list({ labels: ownedBy({ instance: lab.instance, appId: app.id }) })
  return found.filter(({ state }) => state === 'running')
}

/** How many targets HAProxy has for the app at this moment: a set of several is a hash / their number. */
async function targetsOf({ lab, app }: Scene): Promise<number> {
  const entry = await createHaproxyRuntime({ socketPath: lab.paths.socket }).getMap(lab.paths.map('apps'), `app-${app.id}`)
  return Number(/^[0-9a-f]{16}\/(\d+)$/.exec(entry ?? '')?.[1] ?? 1)
}

/** Until the edge and the engine have as many as wanted. */
export async function scaleTo(scene: Scene, replicas: number): Promise<void> {
  await scene.lab.call('apps.update', { appId: scene.app.id, replicas })
  await until(async () => (await targetsOf(scene)) === replicas, `${replicas} targets`)
  await until(async () => (await runningOf(scene)).length === replicas, `${replicas} containers`)
}

/** As a crash: the restart policy starts it again. */
export async function loseOne(scene: Scene): Promise<LostReplica> {
  const all = await targetsOf(scene)
  const last = (await runningOf(scene)).at(-1)
  const pid = (await scene.lab.engine.containers.inspect(last?.id ?? ''))?.pid
  if (pid === undefined || pid === null) throw new Error('there is no replica to lose')
  const begin = performance.now()
  process.kill(pid, 'SIGKILL')
  await until(async () => (await targetsOf(scene)) === all - 1, 'the edge does without it')
  const outMs = Math.round(performance.now() - begin)
  await until(async () => (await targetsOf(scene)) === all, 'it is back')
  return { outMs, backMs: Math.round(performance.now() - begin) }
}
