import type { ComposePlan } from '../../../engine/compose-policy.ts'
import type { ContainerSummary } from '../../../engine/container-state.ts'
import type { Engine } from '../../../engine/engine.ts'
import { isOfRelease, LABEL } from '../../../engine/labels.ts'
import type { Tuning } from '../../../tuning.ts'
import type { AppContainers } from '../app-containers.ts'
import type { Context } from '../stage.ts'
import { canBeTwice } from './compose-files.ts'

type Deps = { engine: Pick<Engine, 'containers'>; containers: AppContainers; tuning: Tuning }
type Kept = { plan: ComposePlan; deploymentId: number; signal: AbortSignal }

const serviceOf = (container: ContainerSummary) => container.labels[LABEL.service] ?? ''

/** The containers of a compose app that are not of the release at hand. */
export function createComposeOthers({ engine, containers, tuning }: Deps) {
  /**
   * How many containers serve that the new release can come beside. None where it must not be there twice, and where another service had
   * the port: what is shared and what is not has changed places then.
   */
  async function serving({ app, deployment, config, signal, say }: Context, plan: ComposePlan): Promise<number> {
    const before = await containers.ofOtherDeployments(app.id, deployment.id, signal)
    if (!before.some(({ state }) => state === 'running')) return 0
    const service = plan.routedService ?? ''
    const isSame = before.every((container) => serviceOf(container) === service)
    if (isSame && canBeTwice(plan) && config.strategy !== 'recreate') {
      say(`The service ${service} goes on serving until the new one is healthy; others that changed are replaced`)
      return before.length
    }
    say('Services that changed are replaced one by one')
    return 0
  }

  async function removeOwn(appId: number, deploymentId: number, signal: AbortSignal): Promise<void> {
    for (const own of await containers.ofDeployment(appId, deploymentId, signal)) await engine.containers.remove(own.id, signal)
  }

  /** Other releases, and services that the plan does not have. */
  async function removeAllBut({ app }: Context, { plan, deploymentId, signal }: Kept): Promise<void> {
    const isKept = (container: ContainerSummary) =>
      isOfRelease(container.labels, deploymentId) && plan.services.includes(serviceOf(container))
    for (const container of (await containers.ofApp(app.id, signal)).filter((each) => !isKept(each))) {
      await engine.containers.stop(container.id, tuning.stopGraceSeconds, signal)
      await engine.containers.remove(container.id, signal)
    }
  }

  return { serving, removeOwn, removeAllBut }
}

export type ComposeOthers = ReturnType<typeof createComposeOthers>
