import { kindOf } from '../../../../domain/app-kinds.ts'
import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import { isAt, type Place, placesOf, processesOf } from '../../../../domain/processes.ts'
import type { Target } from '../../../../domain/routes.ts'
import { placesWanted } from '../../../../domain/wanted-places.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { stopToTheEnd } from '../../../../engine/stop-in-time.ts'
import type { Db } from '../../../../store/database.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { Launcher, Release } from '../release.ts'
import { createDataPlace, type DataPlaces } from './data-place.ts'
import { type ContainerHealthDeps, createContainerHealth, type Running } from './health.ts'
import { RELEASE_SERVICE } from './release-command.ts'
import { isSingle, mountsOf, type SpecDeps, specOf, type WantedContainer } from './spec.ts'
import { createSurplus, ownOf, stopAndRemove } from './surplus.ts'

type Given = ContainerHealthDeps & Omit<SpecDeps, 'places' | 'db'> & { db: Db; now: () => Date }
type Deps = Given & SpecDeps & { places: DataPlaces }

const UP: readonly string[] = ['running', 'restarting', 'paused']

/** Runs an app as one container, or as several of each of its processes: web apps, services and databases. */
export function createContainerLauncher(given: Given): Launcher {
  const places = createDataPlace(given)
  const deps = { ...given, places }
  const { engine, containers, tuning } = deps
  const { start, ...replicas } = createReplicas(deps)

  async function retireOld(context: Context): Promise<void> {
    await places.of(context, mountsOf(deps, context)) // first: it may be that the new one cannot be started
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

/** The containers of one release: its replicas, and those of its other processes. Each is started and proven like the only one. */
function createReplicas(deps: Deps) {
  const { engine, containers, instance, places } = deps
  const { addressOf, waitHealthy, checkAlive } = createContainerHealth(deps)

  /** Creates what the containers need. */
  async function prepare(context: Context): Promise<void> {
    const { app, effect } = context
    await effect('engine.network', (signal) => engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal))
    const mounts = mountsOf(deps, context)
    await places.ensureVolumes(context, await places.of(context, mounts), mounts)
  }

  async function startOne(context: Context, wanted: WantedContainer): Promise<Running> {
    const { app, deployment, config, effect } = context
    const { place, isFirst } = wanted
    const id = await effect('engine.start', async (signal) => {
      const spec = await specOf(deps, context, wanted)
      // A crash may have left containers in an unknown state, so they are replaced: of a new release all, before the first one is started.
      for (const old of await containers.ofDeployment(app.id, deployment.id, signal))
        if (isFirst || isAt(place, old.owner)) await engine.containers.remove(old.id, signal)
      if (isSingle(context)) await stopOthers(deps, context, signal) // a restart of the engine may have started the previous release
      return await engine.containers.start(spec, signal)
    })
    const name = nameOf(app, place)
    if (place.process !== '') return { context, id, name, port: null, address: undefined }
    return { context, id, name, port: config.port, address: await addressOf(context, id) }
  }

  async function start(context: Context, artifact: Artifact): Promise<Release> {
    await prepare(context)
    const all: Running[] = []
    for (const place of placesWanted(context)) all.push(await startOne(context, { artifact, place, isFirst: all.length === 0 }))
    return {
      target: kindOf(context.config).isRouted ? targetOf(all) : undefined,
      waitHealthy: async () => void (await Promise.all(all.map(waitHealthy))),
      checkAlive: async () => void (await Promise.all(all.map(checkAlive))),
    }
  }

  /** One that has ended is started again. One that is restarting is left to its restart policy. One that never ran may lack its files. */
  async function complete(context: Context, artifact: Artifact, problem?: Error): Promise<Pick<Release, 'waitHealthy'>> {
    const { effect } = context
    const found = await ownOf(deps, context)
    const made: Running[] = []
    for (const place of placesWanted(context)) {
      const existing = found.find(({ owner, state }) => isAt(place, owner) && state !== 'created')
      if (existing === undefined && problem) throw problem
      if (existing === undefined && made.length === 0) {
        await places.refuseLost(context, mountsOf(deps, context))
        await prepare(context)
      }
      if (existing === undefined) made.push(await startOne(context, { artifact, place }))
      else if (!UP.includes(existing.state))
        await effect('engine.start_again', (signal) => engine.containers.startAgain(existing.id, signal))
    }
    return { waitHealthy: async () => void (await Promise.all(made.map(waitHealthy))) }
  }

  return { start, complete, ...createSurplus(deps, addressOf) }
}

/** What it is called among others of its release; empty for the only one. */
function nameOf(app: Context['app'], { process, replica }: Place): string {
  if (process === '') return app.replicas === 1 ? '' : `Replica ${replica}`
  return replica === 1 ? `Process ${process}` : `Process ${process}, replica ${replica}`
}

function targetOf(all: readonly Running[]): Target | undefined {
  const [first, ...others] = all.flatMap(({ address }) => address ?? [])
  return first && { ...first, ...(others.length > 0 && { others: others.map(({ ip }) => ip) }) }
}

/** Stops what must not run beside it. */
async function stopOthers({ engine, containers, tuning }: ContainerHealthDeps, { app, deployment }: Context, signal: AbortSignal) {
  const old = await containers.ofOtherDeployments(app.id, deployment.id, signal)
  await Promise.all(old.map(async ({ id }) => await stopToTheEnd(engine, { id, graceSeconds: tuning.stopGraceSeconds, signal })))
}
