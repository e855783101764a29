import type { Compose } from '../../../../engine/compose/compose.ts'
import type { ComposePlan } from '../../../../engine/compose/policy.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { appNetworkName, projectNetworkName } from '../../../../engine/labels.ts'
import type { Reader } from '../../../../store/database.ts'
import type { Tuning } from '../../../../tuning.ts'
import type { Ports } from '../../../ports/service.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import type { Context } from '../../run/stage.ts'
import { findActive } from '../../store.ts'
import type { AppContainers } from '../app-containers.ts'
import type { Launcher, Release } from '../release.ts'
import { createComposeUp } from './bring-up.ts'
import { createComposeHealth } from './health.ts'
import { createCheckImages } from './images.ts'
import { createComposeOthers } from './other-containers.ts'
import { addressOf, hasPlan, hostPortsOf, keptPlan, refuseTaken } from './plan.ts'

type Deps = {
  db: Reader
  engine: Engine
  compose: Compose
  containers: AppContainers
  instance: string
  dataDir: string
  tuning: Tuning
  keptOutput: Pick<KeptOutput, 'keep'>
  ports: Pick<Ports, 'claim' | 'keepOnly'>
}

/**
 * Several containers an app, by the repository's compose file. The validated plan is kept, so that a rollback runs the same again. The
 * service that has the port comes beside the one that serves, where it can be there twice; the others are replaced when they change.
 */
export function createComposeLauncher(deps: Deps): Launcher {
  const { db, engine, compose, containers, instance, tuning } = deps
  const healthOf = createComposeHealth(deps)
  const others = createComposeOthers(deps)
  const { directoryOf, projectOf, bringUp, backTo } = createComposeUp({ ...deps, others })
  const checkImages = createCheckImages(deps)

  async function start(context: Context): Promise<Release> {
    const { app, deployment, config, effect, ask } = context
    const isKept = await hasPlan(directoryOf(app.id, deployment.id)) // the release that a rollback came from may be gone by now
    const source = isKept ? deployment.id : (deployment.release_of ?? deployment.id)
    await effect('engine.network', async (signal) => {
      await engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal)
      const owner = { instance, kind: 'network', projectId: app.project_id, appId: app.id } as const
      await engine.networks.ensure({ name: appNetworkName(instance, app.id), owner }, signal)
    })
    const plan = await keptPlan(directoryOf(app.id, source), deployment.id)
    await claimPorts(context, plan)
    await checkImages(context, plan)
    await bringUp(context, plan, await ask(() => others.serving(context, plan)))
    const found = await ask((signal) => containers.ofRelease(app.id, deployment.id, signal))
    const started = found.filter((container) => plan.services.includes(container.owner.service ?? ''))
    const routed = started.find((container) => plan.routedService !== null && container.owner.service === plan.routedService)
    // the address that it was given, because one that is just being started again has none
    const given = addressOf(await keptPlan(directoryOf(app.id, deployment.id), deployment.id))
    const ip = given ?? routed?.ips[projectNetworkName(instance, app.project_id)]
    const target = ip === undefined || ip === '' || config.port === null ? undefined : { ip, port: config.port }
    const reached = routed && target && { id: routed.id, target }
    const rest = started.filter(({ id }) => id !== reached?.id).map(({ id }) => id)
    return { target: reached?.target, ...healthOf(context, { routed: reached, others: rest }) }
  }

  async function claimPorts({ app, step }: Context, plan: ComposePlan): Promise<void> {
    const wanted = hostPortsOf(plan)
    if (wanted.length > 0) refuseTaken(await step('db.claim_ports', async () => await deps.ports.claim(app.id, wanted)))
  }

  async function removeOld(context: Context): Promise<void> {
    const { app, deployment, effect } = context
    const plan = await keptPlan(directoryOf(app.id, deployment.id), deployment.id)
    await effect('engine.remove_old', (signal) => others.removeAllBut(context, { plan, deploymentId: deployment.id, signal }))
    await deps.ports.keepOnly(app.id, hostPortsOf(plan))
  }

  async function portsOfActive(appId: number): Promise<ReturnType<typeof hostPortsOf>> {
    const active = await findActive(db, appId)
    if (!active || !(await hasPlan(directoryOf(appId, active.id)))) return []
    return hostPortsOf(await keptPlan(directoryOf(appId, active.id), active.id))
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment, step } = context
    const signal = AbortSignal.timeout(120_000)
    await step('compose.undo', async () => {
      const active = await findActive(db, app.id)
      if (active && app.wanted === 'running') return await backTo(context, active.id, signal)
      const ending = { removeVolumes: false, graceSeconds: tuning.stopGraceSeconds }
      await context.ask(() => compose.down(projectOf(context, deployment.id, signal), ending), signal)
    })
    await deps.ports.keepOnly(app.id, await portsOfActive(app.id))
  }

  return { retireOld: async () => undefined, start, removeOld, undo }
}
