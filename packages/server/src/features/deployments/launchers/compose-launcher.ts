import { join } from 'node:path'
import type { Compose } from '../../../engine/compose.ts'
import type { ComposePlan } from '../../../engine/compose-policy.ts'
import type { Engine } from '../../../engine/engine.ts'
import { appNetworkName, composeProjectName, LABEL, projectNetworkName } from '../../../engine/labels.ts'
import type { Tuning } from '../../../tuning.ts'
import type { AppContainers } from '../app-containers.ts'
import { patiently } from '../patience.ts'
import type { Launcher, Release } from '../release.ts'
import type { Context } from '../stage.ts'
import { createPlanCompose } from '../stages/plan-compose.ts'
import { addressOf, hasPlan, keepPlan, keptPlan, withAddress } from './compose-files.ts'
import { createComposeHealth } from './compose-health.ts'

type Deps = {
  engine: Engine
  compose: Compose
  containers: AppContainers
  instance: string
  dataDir: string
  tuning: Tuning
  reservedPorts: readonly number[]
  cloneRepository: (context: Context) => Promise<void>
  findActiveId: (appId: number) => Promise<number | undefined>
}

/** Several containers an app, by the repository's compose file. The validated plan is kept, so that a rollback runs the same again. */
export function createComposeLauncher(deps: Deps): Launcher {
  const { engine, compose, containers, instance, tuning } = deps
  const health = createComposeHealth(deps)
  const prepare = createPlanCompose({ ...deps, directoryOf })
  const addressed = createAddressed(deps)

  function directoryOf(appId: number, deploymentId: number): string {
    return join(deps.dataDir, 'compose', `app-${appId}`, `d${deploymentId}`)
  }

  function projectOf(context: Context, deploymentId: number, signal = context.signal) {
    return {
      name: composeProjectName(instance, context.app.id),
      directory: directoryOf(context.app.id, deploymentId),
      signal,
      onLine: context.output,
    }
  }

  async function bringUp(context: Context, plan: ComposePlan): Promise<void> {
    const { app, deployment, signal, step } = context
    await step('files.address', async () => await keepPlan(directoryOf(app.id, deployment.id), plan))
    try {
      await step('compose.up', async () => await patiently(signal, async () => await compose.up(plan, projectOf(context, deployment.id))))
    } catch (cause) {
      if (signal.aborted) throw cause
      const again = await addressed(context, plan, signal)
      if (addressOf(again) === addressOf(plan)) throw cause
      context.say('Another container took the address meanwhile; starting with the next one')
      await bringUp(context, again)
    }
  }

  async function start(context: Context, routedService: string): Promise<Release> {
    const { app, deployment, config, signal, step } = context
    const isKept = await hasPlan(directoryOf(app.id, deployment.id)) // the release that a rollback came from may be gone by now
    const source = isKept ? deployment.id : (deployment.release_of ?? deployment.id)
    await step(
      'engine.network',
      async () =>
        await patiently(signal, async () => {
          await engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal)
          await engine.networks.ensure(
            { name: appNetworkName(instance, app.id), owner: { instance, kind: 'network', projectId: app.project_id, appId: app.id } },
            signal,
          )
        }),
    )
    const kept = await keptPlan(directoryOf(app.id, source), { name: LABEL.deployment, value: String(deployment.id) })
    await bringUp(context, await addressed(context, kept, signal))
    const started = await patiently(signal, async () => await containers.ofDeployment(app.id, deployment.id, signal))
    const routed = started.find((container) => container.labels[LABEL.service] === routedService)
    const ip = routed?.ips[projectNetworkName(instance, app.project_id)]
    const target = ip === undefined || ip === '' || config.port === null ? undefined : { ip, port: config.port }
    return { containerIds: started.map((container) => container.id), target }
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment, step } = context
    const signal = AbortSignal.timeout(120_000)
    await step('compose.undo', async () => {
      const active = await deps.findActiveId(app.id)
      if (active !== undefined && app.wanted === 'running') {
        const kept = await keptPlan(directoryOf(app.id, active), { name: LABEL.deployment, value: String(active) })
        const plan = addressOf(kept) === undefined ? kept : await addressed(context, kept, signal)
        await patiently(signal, async () => await compose.up(plan, projectOf(context, active, signal)))
        return
      }
      const ending = { removeVolumes: false, graceSeconds: tuning.stopGraceSeconds }
      await patiently(signal, async () => await compose.down(projectOf(context, deployment.id, signal), ending))
    })
  }

  return {
    prepare,
    retireOld: async (context) => context.say('Services that changed are replaced one by one'),
    start,
    ...health,
    removeOld: async () => undefined, // `up` has replaced them
    undo,
  }
}

/** With an address that is not given to another app as soon as this one's container dies. One that it has already stays. */
function createAddressed({ engine, instance }: Pick<Deps, 'engine' | 'instance'>) {
  return async ({ app, deployment }: Context, plan: ComposePlan, signal: AbortSignal): Promise<ComposePlan> => {
    if (plan.routedService === null) return plan
    const network = projectNetworkName(instance, app.project_id)
    const wanted = { network, turn: deployment.id, appId: app.id, wish: addressOf(plan) }
    const address = await patiently(signal, async () => await engine.containers.addressIn(wanted, signal))
    return address === undefined ? plan : withAddress(plan, address)
  }
}
