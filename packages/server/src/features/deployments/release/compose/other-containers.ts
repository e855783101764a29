import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import type { ContainerDetails, ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { createGraceOf } from '../../../../engine/stop-in-time.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { canBeTwice, isPlanned, releaseLabels, routedServices, runsToItsEnd } from './plan.ts'

type Deps = {
  engine: Pick<Engine, 'containers'>
  containers: AppContainers
  tuning: Pick<Tuning, 'stopGraceSeconds'>
  /** For work that has little time in all. */
  longestGraceSeconds?: number
}
type Labels = ReadonlyMap<string, string>
type Others = {
  readonly all: readonly ContainerSummary[]
  readonly labels: Labels
  /** Services whose earlier containers still serve. */
  readonly spared: ReadonlySet<string>
  readonly signal: AbortSignal
}

const serviceOf = ({ owner }: ContainerSummary) => owner.service ?? ''

const inspectAllWith = (engine: Deps['engine']) => async (some: readonly ContainerSummary[], signal: AbortSignal) =>
  await Promise.all(some.map(async ({ id }) => await engine.containers.inspect(id, signal)))

type Found = Pick<Others, 'all'> & { before: Others['all'] }

/**
 * Not where data or a port of the machine would be in two hands: those of the web service itself, or those that a service leaves to
 * another one which is there no more, or which had the port before.
 */
function createCanComeBeside(inspectAll: ReturnType<typeof inspectAllWith>) {
  return async function canComeBeside({ config, signal }: Context, plan: ComposePlan, found: Found): Promise<ReadonlySet<string>> {
    const routed = routedServices(plan)
    const none: ReadonlySet<string> = new Set()
    if (config.strategy === 'recreate') return none
    if (!found.all.every((container) => plan.services.some(({ name }) => name === serviceOf(container)))) return none
    const serving = found.before.filter((container) => !(container.state === 'exited' && runsToItsEnd(plan, serviceOf(container))))
    if (!serving.every((container) => routed.has(serviceOf(container)))) return none
    const keepsToItself = (each: ContainerDetails | null) =>
      each !== null && each.volumes.every(({ name }) => isContentVolume(name)) && each.publishedPorts.length === 0
    const details = await inspectAll(serving, signal)
    const inTheWay = new Set(serving.filter((_container, at) => !keepsToItself(details[at] ?? null)).map(serviceOf))
    return new Set([...routed].filter((name) => canBeTwice(plan, name) && !inTheWay.has(name)))
  }
}

/** In the time that it says it needs. */
function createStop({ engine, tuning, longestGraceSeconds = Number.POSITIVE_INFINITY }: Omit<Deps, 'containers'>) {
  const graceOf = createGraceOf({ engine, graceSeconds: tuning.stopGraceSeconds })
  return async function stop(id: string, signal: AbortSignal): Promise<void> {
    await engine.containers.stop(id, Math.min(await graceOf(id, signal), longestGraceSeconds), signal)
  }
}

/** The containers of a compose app that are not of the release at hand. */
export function createComposeOthers(deps: Deps) {
  const { engine, containers } = deps
  const stop = createStop(deps)
  const inspectAll = inspectAllWith(engine)
  const canComeBeside = createCanComeBeside(inspectAll)

  /** The routed services whose new containers come beside those that serve, instead of taking their place. */
  async function comesBeside(context: Context, plan: ComposePlan): Promise<ReadonlySet<string>> {
    const { app, deployment, signal, say } = context
    const all = await containers.ofApp(app.id, signal)
    const labels = releaseLabels(plan, deployment.id)
    const routed = routedServices(plan)
    const mayServe = ({ owner }: ContainerSummary) => owner.deploymentId !== 'shared' || routed.has(owner.service ?? '')
    const before = all.filter((container) => mayServe(container) && !isPlanned(labels, container.owner))
    if (!before.some(({ state }) => state === 'running')) return new Set()
    const beside = await canComeBeside(context, plan, { all, before })
    say(
      beside.size > 0
        ? `The service ${[...beside].join(', ')} goes on serving until the new one is healthy; others that changed are replaced`
        : 'Services that changed are replaced one by one',
    )
    return beside
  }

  /** Whoever takes its place finds its data again. */
  async function retire({ id, owner }: Pick<ContainerSummary, 'id' | 'owner'>, signal: AbortSignal, keepVolumes = false): Promise<void> {
    await stop(id, signal)
    await engine.containers.remove(id, signal, { keepVolumes: keepVolumes && owner.service !== null })
  }

  /** Services that the plan does not have. Their data stays: the release before it has them, and may be needed again. */
  async function removeUnknown(appId: number, plan: ComposePlan, signal: AbortSignal): Promise<void> {
    const known = new Set(plan.services.map(({ name }) => name))
    for (const container of await containers.ofApp(appId, signal))
      if (!known.has(serviceOf(container))) await retire(container, signal, true)
  }

  /** Before a service starts: what it takes the place of goes, and what has one of its volumes or ports. */
  async function clearFor(service: StackService, { all, labels, spared, signal }: Others): Promise<void> {
    const stale = all.filter((container) => !isPlanned(labels, container.owner) && !spared.has(serviceOf(container)))
    for (const container of stale.filter((each) => serviceOf(each) === service.name)) await retire(container, signal, true)
    if (service.mounts.length === 0 && service.ports.length === 0) return
    const rest = await inspectAll(
      stale.filter((each) => serviceOf(each) !== service.name),
      signal,
    )
    for (const details of rest) if (details !== null && isInTheWay(service, details)) await retire(details, signal, true)
  }

  /** Everything but this release; everything at all where there is none. */
  async function removeAllBut(
    appId: number,
    kept: { plan: ComposePlan; deploymentId: number } | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const labels: Labels = kept === undefined ? new Map() : releaseLabels(kept.plan, kept.deploymentId)
    for (const container of await containers.ofApp(appId, signal)) if (!isPlanned(labels, container.owner)) await retire(container, signal)
  }

  async function removeOwn(appId: number, deploymentId: number, signal: AbortSignal): Promise<void> {
    for (const own of await containers.ofDeployment(appId, deploymentId, signal)) await retire(own, signal)
  }

  return { comesBeside, removeUnknown, clearFor, removeAllBut, removeOwn, stop }
}

export type ComposeOthers = ReturnType<typeof createComposeOthers>

function isInTheWay(service: StackService, { volumes, publishedPorts }: ContainerDetails): boolean {
  return (
    service.mounts.some(({ volume }) => !isContentVolume(volume) && volumes.some(({ name }) => name === volume)) ||
    service.ports.some(({ host, protocol }) => publishedPorts.includes(`${host}/${protocol}`))
  )
}
