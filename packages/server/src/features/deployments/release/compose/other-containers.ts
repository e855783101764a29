import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import type { ContainerDetails, ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { createGraceOf, stopToTheEnd } from '../../../../engine/stop-in-time.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { hasVolumeForSuccessor } from './own-volumes.ts'
import { canBeTwice, isPlanned, releaseLabels, routedServices, runsToItsEnd } from './plan.ts'

type Deps = {
  engine: Pick<Engine, 'containers'>
  containers: AppContainers
  tuning: Pick<Tuning, 'stopGraceSeconds'>
  /** For work with a short deadline. */
  longestGraceSeconds?: number
}
type Labels = ReadonlyMap<string, string>
type Others = {
  readonly all: readonly ContainerSummary[]
  readonly labels: Labels
  /** Services whose previous containers still serve visitors, and are left alone. */
  readonly spared: ReadonlySet<string>
  readonly signal: AbortSignal
}

const serviceOf = ({ owner }: ContainerSummary) => owner.service ?? ''

const inspectAllWith = (engine: Deps['engine']) => async (some: readonly ContainerSummary[], signal: AbortSignal) =>
  await Promise.all(some.map(async ({ id }) => await engine.containers.inspect(id, signal)))

type Found = Pick<Others, 'all'> & { before: Others['all'] }

/**
 * The routed services that can start beside their previous containers: those that share neither data nor a port of the machine with what
 * still serves. None can while there are containers of a service that the plan does not have, or one serves that the plan does not route.
 */
function createServicesThatCanOverlap(inspectAll: ReturnType<typeof inspectAllWith>) {
  return async function servicesThatCanOverlap({ config, signal }: Context, plan: ComposePlan, found: Found): Promise<ReadonlySet<string>> {
    const routed = routedServices(plan)
    const none: ReadonlySet<string> = new Set()
    if (config.strategy === 'recreate') return none
    if (!found.all.every((container) => plan.services.some(({ name }) => name === serviceOf(container)))) return none
    const serving = found.before.filter((container) => !(container.state === 'exited' && runsToItsEnd(plan, serviceOf(container))))
    if (!serving.every((container) => routed.has(serviceOf(container)))) return none
    const isWantedByOthers = (port: string, service: string | null) =>
      plan.services.some(({ name, ports }) => name !== service && ports.some(({ host, protocol }) => port === `${host}/${protocol}`))
    const sharesNothing = (each: ContainerDetails | null) =>
      each !== null &&
      each.volumes.every(({ name }) => isContentVolume(name)) &&
      !each.publishedPorts.some((port) => isWantedByOthers(port, each.owner.service))
    const details = await inspectAll(serving, signal)
    const inTheWay = new Set(serving.filter((_container, at) => !sharesNothing(details[at] ?? null)).map(serviceOf))
    return new Set([...routed].filter((name) => canBeTwice(plan, name) && !inTheWay.has(name)))
  }
}

/** Stops a container with the grace period that it asks for. */
function createStop({ engine, tuning, longestGraceSeconds = Number.POSITIVE_INFINITY }: Omit<Deps, 'containers'>) {
  const graceOf = createGraceOf({ engine, graceSeconds: tuning.stopGraceSeconds })
  return async function stop(id: string, signal: AbortSignal): Promise<void> {
    const graceSeconds = Math.min(await graceOf(id, signal), longestGraceSeconds)
    await stopToTheEnd(engine, { id, graceSeconds, signal })
  }
}

/** The containers of a compose app that do not belong to the given release. */
export function createComposeOthers(deps: Deps) {
  const { engine, containers } = deps
  const stop = createStop(deps)
  const inspectAll = inspectAllWith(engine)
  const servicesThatCanOverlap = createServicesThatCanOverlap(inspectAll)

  /** The routed services that start beside their previous containers instead of replacing them. */
  async function overlappingServices(context: Context, plan: ComposePlan): Promise<ReadonlySet<string>> {
    const { app, deployment, signal, say } = context
    const all = await containers.ofApp(app.id, signal)
    const labels = releaseLabels(plan, deployment.id)
    const routed = routedServices(plan)
    const mayServe = ({ owner }: ContainerSummary) => owner.deploymentId !== 'shared' || routed.has(owner.service ?? '')
    const before = all.filter((container) => mayServe(container) && !isPlanned(labels, container.owner))
    if (!before.some(({ state }) => state === 'running')) return new Set()
    const beside = await servicesThatCanOverlap(context, plan, { all, before })
    say(
      beside.size > 0
        ? `The service ${[...beside].join(', ')} keeps serving until the new one is healthy; other changed services are replaced`
        : 'Services that changed are replaced one by one',
    )
    for (const { name, ports } of plan.services.filter((service) => beside.has(service.name)))
      for (const { host, protocol } of ports)
        say(`Port ${host}/${protocol} of the server leads to the new ${name} once the old one has stopped`)
    return beside
  }

  /** With `keepVolumes` its anonymous volumes stay for the next container of the service. */
  async function remove({ id, owner }: Pick<ContainerSummary, 'id' | 'owner'>, signal: AbortSignal, keepVolumes = false): Promise<void> {
    const details = keepVolumes && owner.service !== null ? await engine.containers.inspect(id, signal) : null
    await engine.containers.remove(id, signal, { keepVolumes: details !== null && hasVolumeForSuccessor(details) })
  }

  async function retire(container: Pick<ContainerSummary, 'id' | 'owner'>, signal: AbortSignal, keepVolumes = false): Promise<void> {
    await stop(container.id, signal)
    await remove(container, signal, keepVolumes)
  }

  /** Removes services that the plan does not have. Their data stays: the previous release has them, and may be needed again. */
  async function removeUnknown(appId: number, plan: ComposePlan, signal: AbortSignal): Promise<void> {
    const known = new Set(plan.services.map(({ name }) => name))
    for (const container of await containers.ofApp(appId, signal))
      if (!known.has(serviceOf(container))) await retire(container, signal, true)
  }

  /** Before a service starts: removes its previous containers, and others that use one of its volumes or ports. */
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

  /** Removes all containers except those of this release; without one, all. */
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

  return { overlappingServices, removeUnknown, clearFor, removeAllBut, removeOwn, retire, remove, stop }
}

export type ComposeOthers = ReturnType<typeof createComposeOthers>

function isInTheWay(service: StackService, { volumes, publishedPorts }: ContainerDetails): boolean {
  return (
    service.mounts.some(({ volume }) => !isContentVolume(volume) && volumes.some(({ name }) => name === volume)) ||
    service.ports.some(({ host, protocol }) => publishedPorts.includes(`${host}/${protocol}`))
  )
}
