import type { Compose } from '../../../../engine/compose/compose.ts'
import type { ComposePlan } from '../../../../engine/compose/policy.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { composeProjectName, inComposeProject, isOfRelease, projectNetworkName } from '../../../../engine/labels.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import type { ComposeOthers } from './other-containers.ts'
import { addressOf, keepPlan, keptPlan, planDirectory, routedOf, sharedServices, withAddress } from './plan.ts'

type Deps = { engine: Engine; compose: Compose; containers: AppContainers; others: ComposeOthers; instance: string; dataDir: string }

/** Brings the plan of a release up, beside what serves or in its place, and back again. */
export function createComposeUp(deps: Deps) {
  const { compose, containers, others, instance } = deps
  const addressed = createAddressed(deps)
  const directoryOf = (appId: number, deploymentId: number) => planDirectory(deps.dataDir, appId, deploymentId)
  const refuseStrangers = createRefuseStrangers(deps)

  function projectOf(context: Context, deploymentId: number, signal = context.signal) {
    return {
      name: composeProjectName(instance, context.app.id),
      directory: directoryOf(context.app.id, deploymentId),
      signal,
      onLine: context.output,
    }
  }

  /** `serving` containers of the routed service stay as they are; where there are none, the whole plan comes at once. */
  async function up(context: Context, plan: ComposePlan, serving: number): Promise<void> {
    const { app, deployment, effect } = context
    const project = projectOf(context, deployment.id)
    const routed = routedOf(plan)
    if (serving === 0 || routed === undefined) return await effect('compose.up', () => compose.up(plan, project))
    const shared = sharedServices(plan)
    await effect('compose.shared', () => compose.upSome(plan, project, shared))
    await effect('compose.beside', async (signal) => {
      // a crash may have left one behind; its state is unknown, so it is made anew
      await others.removeOwn(app.id, deployment.id, signal)
      await compose.upBeside(plan, project, { ...routed, count: serving + 1 })
    })
  }

  async function bringUp(context: Context, wanted: ComposePlan, serving: number): Promise<void> {
    const { app, deployment, signal, step } = context
    await refuseStrangers(context)
    const plan = await addressed(context, wanted, { isBeside: serving > 0, signal })
    await step('files.address', async () => await keepPlan(directoryOf(app.id, deployment.id), plan))
    try {
      await up(context, plan, serving)
    } catch (cause) {
      if (signal.aborted) throw cause
      // what it made holds the address itself
      if (serving > 0) await context.ask(() => others.removeOwn(app.id, deployment.id, signal))
      const again = await addressed(context, plan, { isBeside: serving > 0, signal })
      if (addressOf(again) === addressOf(plan)) throw cause
      context.say('Another container took the address meanwhile; starting with the next one')
      await bringUp(context, again, serving)
    }
  }

  /** What still serves of the release that is live is not touched. Where more than that has changed hands, Compose puts it right. */
  async function backTo(context: Context, active: number, signal: AbortSignal): Promise<void> {
    const project = projectOf(context, active, signal)
    const plan = await keptPlan(directoryOf(context.app.id, active), active)
    const routed = routedOf(plan)
    const all = await context.ask(() => containers.ofApp(context.app.id, signal), signal)
    const ofReleases = all.filter(({ owner }) => owner.deploymentId !== 'shared')
    const count = ofReleases.filter(({ owner }) => isOfRelease(owner, active)).length
    if (routed === undefined || count === 0 || ofReleases.some(({ owner }) => owner.service !== routed.service)) {
      const whole = addressOf(plan) === undefined ? plan : await addressed(context, plan, { isBeside: false, signal })
      return await context.ask(() => compose.up(whole, project), signal)
    }
    await context.ask(async () => {
      await others.removeAllBut(context, { plan, deploymentId: active, signal })
      await compose.upSome(plan, project, sharedServices(plan))
      await compose.upBeside(plan, project, { ...routed, count })
    }, signal)
  }

  return { directoryOf, projectOf, bringUp, backTo }
}

/** Compose would take over, start and remove whatever says that it is of this project. */
function createRefuseStrangers({ engine, instance }: Pick<Deps, 'engine' | 'instance'>) {
  return async ({ app: { id: appId }, ask }: Context): Promise<void> => {
    const labels = inComposeProject(instance, appId)
    const found = await ask((signal) => engine.containers.list({ labels, signal }))
    const strangers = found.filter((container) => container.owner.instance !== instance || container.owner.appId !== appId)
    if (strangers.length > 0)
      throw new DeploymentFailure('A container that is not of this app claims to belong to it. Ask whoever runs the server to remove it.')
  }
}

/** With an address that is not given to another app as soon as this one's container dies. One that it has already stays. */
function createAddressed({ engine, instance }: Pick<Deps, 'engine' | 'instance'>) {
  return async (
    { app, deployment, ask }: Context,
    plan: ComposePlan,
    { isBeside, signal }: { isBeside: boolean; signal: AbortSignal },
  ): Promise<ComposePlan> => {
    if (plan.routedService === null) return plan
    const network = projectNetworkName(instance, app.project_id)
    const wanted = { network, turn: deployment.id, wish: addressOf(plan), ...(isBeside ? {} : { appId: app.id }) }
    const address = await ask(() => engine.containers.addressIn(wanted, signal), signal)
    return address === undefined ? plan : withAddress(plan, address)
  }
}
