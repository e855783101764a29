import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import { placesOf, processesOf } from '../../../../domain/processes.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { Launcher } from '../release.ts'
import { RELEASE_SERVICE } from './release-command.ts'
import { createReplicas, type ReplicaDeps, stopAndRemove, stopOthers } from './replicas.ts'
import { isSingle } from './spec.ts'

/** Runs an app as one container, or as several of each of its processes: web apps, services and databases. */
export function createContainerLauncher(deps: ReplicaDeps): Launcher {
  const { engine, containers, tuning } = deps
  const { start, ...replicas } = createReplicas(deps)

  async function retireOld(context: Context): Promise<void> {
    if (!isSingle(context)) {
      if (context.replaces !== null) context.say('The current release keeps serving until the new one is healthy')
      return
    }
    await context.effect('engine.stop_old', async (signal) => await stopOthers(deps, context, signal))
  }

  async function removeOld({ app, deployment, effect }: Context): Promise<void> {
    await effect('engine.remove_old', async (signal) => {
      const old = await containers.ofOtherDeployments(app.id, deployment.id, signal)
      await Promise.all(old.map(async ({ id }) => await stopAndRemove(deps, id, signal)))
    })
  }

  /** Only the live release: an earlier deployment that failed while the engine was away may have left containers too. */
  async function liveOf({ app, deployment, replaces }: Context, signal: AbortSignal): Promise<ContainerSummary[]> {
    const others = await containers.ofOtherDeployments(app.id, deployment.id, signal)
    const set = new Map([['', app.replicas], ...processesOf(app).map(({ name, replicas }) => [name, replicas] as const)])
    const isWanted = ({ service, replica }: ContainerSummary['owner']) =>
      service !== RELEASE_SERVICE && replica <= (set.get(service ?? '') ?? Infinity)
    return others.filter(({ owner }) => owner.deploymentId === replaces && isWanted(owner))
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment } = context
    const ownTime = AbortSignal.timeout(60_000) // the deployment's own signal is already aborted
    const takeBack = async (signal: AbortSignal) => {
      const made = await containers.ofDeployment(app.id, deployment.id, signal)
      const stopped = (await liveOf(context, signal)).filter(({ state }) => state === 'exited')
      if (stopped.length > 0 && app.wanted === 'running') {
        for (const { id } of made) await engine.containers.stop(id, tuning.stopGraceSeconds, signal)
        for (const { id } of stopped) await engine.containers.startAgain(id, signal)
      }
      for (const { id } of made) await engine.containers.remove(id, signal)
    }
    await context.effect('engine.undo', takeBack, ownTime)
  }

  return { refuse: refuseSeveralWriters, retireOld, start, replicas, removeOld, undo }
}

/** A volume that is not shareable has one writer, also after a rollback to a release that has one. */
function refuseSeveralWriters({ app, config, deployment }: Pick<Context, 'app' | 'config' | 'deployment'>): void {
  if (!holdsDataAlone(app, config)) return
  const volume = 'This release has a volume that only one container may use at a time, and the app has'
  const other = 'or use a release whose volumes are shareable.'
  if (app.replicas > 1) throw new DeploymentFailure(`${volume} ${app.replicas} replicas. Set replicas to 1, ${other}`)
  const process = placesOf(app, deployment).find((each) => each.process !== '')?.process
  if (process === undefined) return
  throw new DeploymentFailure(`${volume} the process ${process} too. Set its replicas to 0, mark the volume as shareable, ${other}`)
}
