import { kindOf } from '../../../../domain/app-kinds.ts'
import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import type { Target } from '../../../../domain/routes.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Context } from '../../run/stage.ts'
import { probePort } from '../health/probes.ts'
import type { LiveReplicas, Release } from '../release.ts'
import { type ContainerHealthDeps, createContainerHealth, type Running } from './health.ts'

/** `isFresh`: of a release that is not live yet. */
export type WantedReplica = { readonly artifact: Artifact; readonly replica: number; readonly isFresh?: true }

type Making = {
  /** Creates what the containers need. */
  prepare: (context: Context) => Promise<void>
  /** Stops what must not run beside it. */
  makeWay: (context: Context, signal: AbortSignal) => Promise<void>
  specOf: (context: Context, wanted: WantedReplica) => Promise<ContainerSpec>
}

const UP: readonly string[] = ['running', 'restarting', 'paused']

/** The containers of one release that do the same. Each is started and proven like the only one of a release. */
export function createReplicas(deps: ContainerHealthDeps, { prepare, makeWay, specOf }: Making) {
  const { engine, containers } = deps
  const { addressOf, waitHealthy, checkAlive } = createContainerHealth(deps)

  async function startReplica(context: Context, wanted: WantedReplica): Promise<Running> {
    const { app, deployment, effect } = context
    const { replica, isFresh } = wanted
    const spec = await specOf(context, wanted)
    const id = await effect('engine.start', async (signal) => {
      // A crash may have left containers in an unknown state, so they are replaced: of a new release all, before the first one is started.
      for (const old of await containers.ofDeployment(app.id, deployment.id, signal))
        if (old.owner.replica === replica || (isFresh && replica === 1)) await engine.containers.remove(old.id, signal)
      await makeWay(context, signal)
      return await engine.containers.start(spec, signal)
    })
    return { context, id, name: app.replicas === 1 ? '' : `Replica ${replica}`, address: await addressOf(context, id) }
  }

  async function start(context: Context, artifact: Artifact): Promise<Release> {
    await prepare(context)
    const all: Running[] = []
    for (const replica of replicasOf(context)) all.push(await startReplica(context, { artifact, replica, isFresh: true }))
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
    for (const replica of replicasOf(context)) {
      const existing = found.find(({ owner, state }) => owner.replica === replica && state !== 'created')
      if (existing === undefined && problem) throw problem
      if (existing === undefined && made.length === 0) await prepare(context)
      if (existing === undefined) made.push(await startReplica(context, { artifact, replica }))
      else if (!UP.includes(existing.state))
        await effect('engine.start_again', (signal) => engine.containers.startAgain(existing.id, signal))
    }
    return { waitHealthy: async () => void (await Promise.all(made.map(waitHealthy))) }
  }

  return { start, complete, ...createSurplus(deps, addressOf) }
}

/** The replicas of the live release beyond the wanted number. They are kept until those within it answer. */
function createSurplus(
  deps: ContainerHealthDeps,
  addressOf: ReturnType<typeof createContainerHealth>['addressOf'],
): Pick<LiveReplicas, 'hasSurplus' | 'removeSurplus'> {
  /** Whether it is up and, where it has a port, listens on it. */
  async function answers(context: Context, { id, state }: ContainerSummary): Promise<boolean> {
    if (state !== 'running' || context.config.port === null) return state === 'running'
    const address = await addressOf(context, id)
    return address !== undefined && (await probePort(address.ip, address.port, context.signal)).healthy
  }

  async function hasSurplus(context: Context): Promise<boolean> {
    const found = await ownOf(deps, context)
    const kept = found.filter(({ owner }) => owner.replica <= wantedOf(context))
    if (kept.length === found.length || kept.length < wantedOf(context)) return false
    return (await Promise.all(kept.map(async (each) => await answers(context, each)))).every(Boolean)
  }

  async function removeSurplus(context: Context): Promise<void> {
    const { effect } = context
    await effect('engine.remove_surplus', async (signal) => {
      const surplus = (await ownOf(deps, context)).filter(({ owner }) => owner.replica > wantedOf(context))
      await Promise.all(surplus.map(async ({ id }) => await stopAndRemove(deps, id, signal)))
    })
  }

  return { hasSurplus, removeSurplus }
}

/** Those of this release that do the same: its release command ran in another one. */
async function ownOf({ containers }: ContainerHealthDeps, { app, deployment, ask }: Context): Promise<ContainerSummary[]> {
  const found = await ask((signal) => containers.ofDeployment(app.id, deployment.id, signal))
  return found.filter(({ owner }) => owner.service === null)
}

/** A volume that is for one container at a time has one, whatever number the settings say by now. */
function wantedOf({ app, config }: Context): number {
  return holdsDataAlone(app, config) ? 1 : app.replicas
}

function replicasOf(context: Context): number[] {
  return Array.from({ length: wantedOf(context) }, (_, index) => index + 1)
}

function targetOf(all: readonly Running[]): Target | undefined {
  const [first, ...others] = all.flatMap(({ address }) => address ?? [])
  return first && { ...first, ...(others.length > 0 && { others: others.map(({ ip }) => ip) }) }
}

export async function stopAndRemove({ engine, tuning }: ContainerHealthDeps, id: string, signal: AbortSignal): Promise<void> {
  await engine.containers.stop(id, tuning.stopGraceSeconds, signal)
  await engine.containers.remove(id, signal)
}
