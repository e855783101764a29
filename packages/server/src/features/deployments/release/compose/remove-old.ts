import { stoppedServices } from '../../../../domain/stopped-services.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { ownedBy, STAND_IN } from '../../../../engine/labels.ts'
import type { Ports } from '../../../ports/service.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import type { Launcher } from '../release.ts'
import type { createConverge } from './converge.ts'
import type { ComposeOthers } from './other-containers.ts'
import { hostPortsOf, keptPlan, volumesIn } from './plan.ts'

type Surplus = NonNullable<Launcher['surplus']>
type Deps = {
  engine: Pick<Engine, 'volumes'>
  instance: string
  ports: Pick<Ports, 'keepOnly'>
  others: Pick<ComposeOthers, 'removeAllBut'>
  converge: ReturnType<typeof createConverge>
  surplus: Surplus
  directoryOf: (appId: number, deploymentId: number) => string
}

/** After success: removes the previous release, and what only that one needed. */
export function createRemoveOld(deps: Deps): Launcher['removeOld'] {
  return async function removeOld(context) {
    const { app, deployment, effect, signal } = context
    const deploymentId = deployment.id
    const plan = await keptPlan(deps.directoryOf(app.id, deploymentId))
    await effect('engine.remove_old', (until) => deps.others.removeAllBut(app.id, { plan, deploymentId }, until))
    if (await deps.surplus.hasSurplus(context)) {
      // The ports of the machine are free now. What stood in for their owners goes with `app.restore`, once these have the visitors.
      const wanted = {
        plan,
        deploymentId,
        beside: new Set<string>(),
        isData: volumesIn(plan),
        wasLive: true,
        stopped: stoppedServices(app),
      }
      await deps.converge(context, wanted, { run: effect, signal })
    }
    await effect('engine.remove_content', (until) => removeContent(deps, { appId: app.id, isLive: volumesIn(plan) }, until))
    await deps.ports.keepOnly(app.id, async () => hostPortsOf(plan))
  }
}

/** Containers that served while the release before had their port of the machine. */
export function createStandIns(
  { containers }: { containers: Pick<AppContainers, 'ofDeployment'> },
  others: Pick<ComposeOthers, 'retire'>,
): Surplus {
  async function standIns({ app, deployment, ask }: Context): Promise<ContainerSummary[]> {
    const own = await ask((signal) => containers.ofDeployment(app.id, deployment.id, signal))
    return own.filter(({ owner }) => owner.service !== null && owner.replica === STAND_IN)
  }

  return {
    hasSurplus: async (context) => (await standIns(context)).length > 0,
    removeSurplus: async (context) => {
      const found = await standIns(context)
      await context.effect('engine.remove_surplus', async (signal) => {
        for (const each of found) await others.retire(each, signal)
      })
    },
  }
}

/** Removes volumes with files of earlier commits. A rollback has the files, and fills them again. */
async function removeContent(
  { engine, instance }: Pick<Deps, 'engine' | 'instance'>,
  { appId, isLive }: { appId: number; isLive: (volume: string) => boolean },
  signal: AbortSignal,
): Promise<void> {
  for (const { name } of await engine.volumes.list({ labels: ownedBy({ instance, appId }), signal }))
    if (isContentVolume(name) && !isLive(name)) await engine.volumes.remove(name, signal)
}
