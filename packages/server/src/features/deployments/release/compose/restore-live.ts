import { stoppedServices } from '../../../../domain/stopped-services.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import { createConverge } from './converge.ts'
import { createComposeOthers } from './other-containers.ts'
import type { createWithOwnVolumes } from './own-volumes.ts'
import { volumesIn } from './plan.ts'

type Deps = Parameters<typeof createComposeOthers>[0] &
  Omit<Parameters<typeof createConverge>[0], 'others'> & { withOwnVolumes: ReturnType<typeof createWithOwnVolumes>; refuseLost: RefuseLost }
/** The live release. */
export type ActivePlan = { readonly plan: ComposePlan; readonly deploymentId: number }

export type RefuseLost = (context: Context, plan: ComposePlan, until?: AbortSignal) => Promise<void>

/** Everything together has two minutes, including the time for containers to stop. */
const GRACE_SECONDS = 10

/** Restores the live release after a failed deployment. Containers of it that still serve are left alone. */
export function createRestoreLive(deps: Deps) {
  const others = createComposeOthers({ ...deps, longestGraceSeconds: GRACE_SECONDS })
  const converge = createConverge({ ...deps, others })

  return async function restoreLive(context: Context, active: ActivePlan | undefined, signal: AbortSignal): Promise<void> {
    const { app, deployment } = context
    if (!active || app.wanted !== 'running') return await others.removeAllBut(app.id, active, signal)
    if (active.deploymentId !== deployment.id) await others.removeOwn(app.id, deployment.id, signal)
    await deps.refuseLost(context, active.plan, signal).catch(async (cause: unknown) => {
      if (cause instanceof DeploymentFailure) await others.removeAllBut(app.id, active, signal) // also services of the new release that do not carry its number
      throw cause
    })
    const plan = await deps.withOwnVolumes(context, active.plan, { until: signal })
    const run = async <Result>(_name: string, work: (until: AbortSignal) => Promise<Result>) => await work(signal)
    const wanted = { ...active, plan, beside: new Set<string>(), isData: volumesIn(plan), wasLive: true, stopped: stoppedServices(app) }
    await converge(context, wanted, { run, signal })
  }
}
