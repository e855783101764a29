import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import { isAt } from '../../../../domain/processes.ts'
import { isWanted, placesWanted } from '../../../../domain/wanted-places.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Context } from '../../run/stage.ts'
import { probePort } from '../health/probes.ts'
import type { LiveReplicas } from '../release.ts'
import type { ContainerHealthDeps, createContainerHealth } from './health.ts'
import { RELEASE_SERVICE } from './release-command.ts'

/** The containers of the live release beyond the wanted number. They are kept until those of the same process within it answer. */
export function createSurplus(
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
export async function ownOf({ containers }: ContainerHealthDeps, { app, deployment, ask }: Context): Promise<ContainerSummary[]> {
  const found = await ask((signal) => containers.ofDeployment(app.id, deployment.id, signal))
  return found.filter(({ owner }) => owner.service !== RELEASE_SERVICE)
}

export async function stopAndRemove({ engine, tuning }: ContainerHealthDeps, id: string, signal: AbortSignal): Promise<void> {
  await engine.containers.stop(id, tuning.stopGraceSeconds, signal)
  await engine.containers.remove(id, signal)
}
