import { kindOf } from '../../../../domain/app-kinds.ts'
import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import { isAt, type Place } from '../../../../domain/processes.ts'
import type { Target } from '../../../../domain/routes.ts'
import { isWanted, placesWanted } from '../../../../domain/wanted-places.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { volumeLabels } from '../../../../engine/labels.ts'
import { stopToTheEnd } from '../../../../engine/stop-in-time.ts'
import type { Context } from '../../run/stage.ts'
import { probePort } from '../health/probes.ts'
import { refuseLostVolumes } from '../lost-volumes.ts'
import type { LiveReplicas, Release } from '../release.ts'
import { type ContainerHealthDeps, createContainerHealth, type Running } from './health.ts'
import { RELEASE_SERVICE } from './release-command.ts'
import { isSingle, mountsOf, type SpecDeps, specOf, type WantedContainer } from './spec.ts'

export type ReplicaDeps = ContainerHealthDeps & SpecDeps

const UP: readonly string[] = ['running', 'restarting', 'paused']

/** The containers of one release: its replicas, and those of its other processes. Each is started and proven like the only one. */
export function createReplicas(deps: ReplicaDeps) {
  const { engine, containers, instance } = deps
  const { addressOf, waitHealthy, checkAlive } = createContainerHealth(deps)

  /** Creates what the containers need. */
  async function prepare(context: Context): Promise<void> {
    const { app, effect } = context
    await effect('engine.network', (signal) => engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal))
    const labels = volumeLabels({ instance, projectId: app.project_id, appId: app.id })
    for (const { volume } of mountsOf(deps, context))
      await effect('engine.volume', (signal) => engine.volumes.ensure(volume, labels, signal))
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
        await refuseLostVolumes(deps, context, { mounts: mountsOf(deps, context) })
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

/** The containers of the live release beyond the wanted number. They are kept until those of the same process within it answer. */
function createSurplus(
  deps: ContainerHealthDeps,
  addressOf: ReturnType<typeof createContainerHealth>['addressOf'],
): Pick<LiveReplicas, 'hasSurplus' | 'removeSurplus'> {
  /** Whether it is up and, where it has a port, listens on it. */
  async function answers(context: Context, { id, state, owner }: ContainerSummary): Promise<boolean> {
    if (state !== 'running' || context.config.port === null || owner.service !== null) return state === 'running'
    const address = await addressOf(context, id)
    return address !== undefined && (await probePort(address.ip, address.port, context.signal)).healthy
  }

  /** Those that can go now. A process of which none is wanted has nothing to wait for. */
  async function surplusOf(context: Context): Promise<ContainerSummary[]> {
    const found = await ownOf(deps, context)
    const surplus = found.filter((each) => !isWanted(context, each))
    if (holdsDataAlone(context.app, context.config)) return surplus // several at once could destroy the data, whether or not one answers
    const places = placesWanted(context)
    const isKeptUp = async (process: string): Promise<boolean> => {
      const kept = places.filter((place) => place.process === process).map((place) => found.find(({ owner }) => isAt(place, owner)))
      return (await Promise.all(kept.map(async (each) => each !== undefined && (await answers(context, each))))).every(Boolean)
    }
    const removable = new Map<string, boolean>()
    for (const process of new Set(surplus.map(processIn))) removable.set(process, await isKeptUp(process))
    return surplus.filter((each) => removable.get(processIn(each)) === true)
  }

  async function removeSurplus(context: Context): Promise<void> {
    const surplus = await surplusOf(context)
    await context.effect('engine.remove_surplus', async (signal) => {
      await Promise.all(surplus.map(async ({ id }) => await stopAndRemove(deps, id, signal)))
    })
  }

  return { hasSurplus: async (context) => (await surplusOf(context)).length > 0, removeSurplus }
}

function processIn({ owner }: ContainerSummary): string {
  return owner.service ?? ''
}

/** Those of this release, without that of its release command. */
async function ownOf({ containers }: ContainerHealthDeps, { app, deployment, ask }: Context): Promise<ContainerSummary[]> {
  const found = await ask((signal) => containers.ofDeployment(app.id, deployment.id, signal))
  return found.filter(({ owner }) => owner.service !== RELEASE_SERVICE)
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
export async function stopOthers({ engine, containers, tuning }: ContainerHealthDeps, { app, deployment }: Context, signal: AbortSignal) {
  const old = await containers.ofOtherDeployments(app.id, deployment.id, signal)
  await Promise.all(old.map(async ({ id }) => await stopToTheEnd(engine, { id, graceSeconds: tuning.stopGraceSeconds, signal })))
}

export async function stopAndRemove({ engine, tuning }: ContainerHealthDeps, id: string, signal: AbortSignal): Promise<void> {
  await engine.containers.stop(id, tuning.stopGraceSeconds, signal)
  await engine.containers.remove(id, signal)
}
