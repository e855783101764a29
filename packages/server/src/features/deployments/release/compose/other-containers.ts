import { EngineError } from '../../../../engine/api/errors.ts'
import type { ComposePlan } from '../../../../engine/compose/policy.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { isOfRelease } from '../../../../engine/labels.ts'
import type { Tuning } from '../../../../tuning.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { canBeTwice, routedOf } from './plan.ts'

type Deps = { engine: Pick<Engine, 'containers' | 'images'>; containers: AppContainers; tuning: Tuning }
type Found = { all: readonly ContainerSummary[]; before: readonly ContainerSummary[] }
type Kept = { plan: ComposePlan; deploymentId: number; signal: AbortSignal }

function unlessRefused(cause: unknown): void {
  if (!(cause instanceof EngineError)) throw cause
}

const serviceOf = (container: ContainerSummary) => container.owner.service ?? ''

/** The containers of a compose app that are not of the release at hand. */
export function createComposeOthers({ engine, containers, tuning }: Deps) {
  /** How many containers serve that the new release comes beside; none where it takes their place. */
  async function serving(context: Context, plan: ComposePlan): Promise<number> {
    const { app, deployment, signal, say } = context
    const all = await containers.ofApp(app.id, signal)
    const before = all.filter(({ owner }) => !isOfRelease(owner, deployment.id))
    if (!before.some(({ state }) => state === 'running')) return 0
    if (!(await canComeBeside(context, plan, { all, before }))) {
      say('Services that changed are replaced one by one')
      return 0
    }
    say(`The service ${plan.routedService ?? ''} goes on serving until the new one is healthy; others that changed are replaced`)
    return before.length
  }

  /**
   * Not where data or a port of the machine would be in two hands: those of the web service itself, or those that a service leaves to
   * another one which is there no more, or which had the port before.
   */
  async function canComeBeside(context: Context, plan: ComposePlan, { all, before }: Found): Promise<boolean> {
    const { config, signal } = context
    const routed = routedOf(plan)
    if (routed === undefined || config.strategy === 'recreate' || !canBeTwice(plan)) return false
    if (!all.every((container) => plan.services.includes(serviceOf(container)))) return false
    if (!before.every((container) => serviceOf(container) === routed.service)) return false
    const details = await Promise.all(before.map(async ({ id }) => await engine.containers.inspect(id, signal)))
    if (details.some((found) => found === null || found.hasVolumes || found.hasPublishedPorts)) return false
    const image = await imageOf(context, routed.image)
    return image !== null && !image.declaresVolumes
  }

  /** Null where it cannot be had: Compose will say why. */
  async function imageOf({ signal, output }: Context, image: string) {
    const found = await engine.images.inspect(image, signal)
    if (found !== null) return found
    await engine.images.pull(image, { signal, onLine: (line) => output(line, 'stdout') }).catch(unlessRefused)
    return await engine.images.inspect(image, signal)
  }

  async function removeOwn(appId: number, deploymentId: number, signal: AbortSignal): Promise<void> {
    for (const own of await containers.ofDeployment(appId, deploymentId, signal)) await engine.containers.remove(own.id, signal)
  }

  /** Other releases, and services that the plan does not have. */
  async function removeAllBut({ app }: Context, { plan, deploymentId, signal }: Kept): Promise<void> {
    const isKept = (container: ContainerSummary) =>
      isOfRelease(container.owner, deploymentId) && plan.services.includes(serviceOf(container))
    for (const container of (await containers.ofApp(app.id, signal)).filter((each) => !isKept(each))) {
      await engine.containers.stop(container.id, tuning.stopGraceSeconds, signal)
      await engine.containers.remove(container.id, signal)
    }
  }

  return { serving, removeOwn, removeAllBut }
}

export type ComposeOthers = ReturnType<typeof createComposeOthers>
