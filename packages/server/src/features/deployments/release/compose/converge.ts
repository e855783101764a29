import { EngineError } from '../../../../engine/api/errors.ts'
import type { StackService } from '../../../../engine/compose/stack.ts'
import { bindingText, type ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { STAND_IN } from '../../../../engine/labels.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import type { ComposeOthers } from './other-containers.ts'
import { isPlanned, releaseLabels, routedServices, runsToItsEnd } from './plan.ts'
import { replicaOf, replicasOf } from './replica.ts'
import type { createStartService, Wanted } from './start-service.ts'
import type { createWaitFor } from './wait-for.ts'

type Deps = {
  engine: Pick<Engine, 'containers'>
  containers: Pick<AppContainers, 'ofApp'>
  others: Pick<ComposeOthers, 'removeUnknown' | 'clearFor' | 'stop' | 'retire' | 'remove'>
  waitFor: ReturnType<typeof createWaitFor>
  startService: ReturnType<typeof createStartService>
}

/** Runs each part of the work: as a step of a deployment, or within one. */
type Run = <Result>(name: string, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>

/**
 * Starts, keeps or replaces containers, service by service, until they match the plan. It checks what exists each time, so it can be
 * interrupted anywhere and run again.
 */
export function createConverge(deps: Deps) {
  const { containers, others, waitFor, startService } = deps
  const firstThatStays = createFirstThatStays(deps)

  /** `signal` limits only the waiting for other services. */
  async function converge(context: Context, wanted: Wanted, { run, signal }: { run: Run; signal: AbortSignal }): Promise<void> {
    const ids = new Map<string, readonly string[]>()
    await run('stack.unknown', (until) => others.removeUnknown(context.app.id, wanted.plan, until))
    for (const service of wanted.plan.services) {
      for (const dependency of service.dependsOn)
        for (const id of ids.get(dependency.service) ?? ['']) await waitFor(context, { service: service.name, dependency, id, signal })
      ids.set(service.name, await run('stack.service', (until) => ensure(context, { ...wanted, service }, until)))
    }
  }

  /** The containers of a service; none if it has completed and was removed, or if a person stopped it. */
  async function ensure(context: Context, wanted: Wanted & { service: StackService }, signal: AbortSignal): Promise<string[]> {
    const { plan, deploymentId, service } = wanted
    const labels = releaseLabels(plan, deploymentId)
    const all = await containers.ofApp(context.app.id, signal)
    await others.clearFor(service, { all, labels, spared: wanted.beside, signal })
    const planned = all.filter(({ owner }) => owner.service === service.name && isPlanned(labels, owner))
    if (wanted.stopped.has(service.name)) {
      for (const { id, state } of planned) if (state === 'running' || state === 'restarting') await others.stop(id, signal)
      return []
    }
    const numbers = replicasOf(service, wanted.beside.has(service.name))
    // One that stands in for another serves until that one does.
    const surplus = planned.filter(({ owner }) => !numbers.includes(owner.replica) && owner.replica !== STAND_IN)
    for (const each of surplus) await others.retire(each, signal, true)
    const ids: string[] = []
    for (const replica of numbers) {
      const found = planned.filter(({ owner }) => owner.replica === replica)
      const kept = await firstThatStays(found, wanted, signal)
      for (const each of found) if (each.id !== kept) await others.remove(each, signal, true)
      if (kept === undefined && found.length === 0 && wanted.wasLive && runsToItsEnd(plan, service.name)) continue
      ids.push(kept ?? (await startService(context, { ...wanted, release: labels.get(service.name) ?? '', replica }, signal)))
    }
    return ids
  }

  return converge
}

/** Which of the containers that were found for one of a service can be kept. */
function createFirstThatStays({ engine }: Pick<Deps, 'engine'>) {
  async function firstThatStays(planned: readonly ContainerSummary[], wanted: Wanted & { service: StackService }, signal: AbortSignal) {
    for (const container of planned) if (await stays(container, wanted, signal)) return container.id
    return undefined
  }

  /**
   * Whether a container can be kept. One that was created but never started may lack a network; a routed one that is stopped may find its
   * address taken.
   */
  async function stays(
    { id, state, owner }: ContainerSummary,
    { plan, service, beside }: Wanted & { service: StackService },
    signal: AbortSignal,
  ) {
    if (beside.has(service.name)) return false // left by a crash, in an unknown state
    const opened = (await engine.containers.inspect(id, signal))?.portBindings ?? []
    const { ports } = replicaOf(service, owner.replica, '')
    if (!isSameSet(opened, ports.map(bindingText))) return false // switched since a deployment that was interrupted started it
    if (state === 'running' || state === 'restarting') return true
    if (state !== 'exited') return false
    if (runsToItsEnd(plan, service.name)) return (await engine.containers.inspect(id, signal))?.exitCode === 0
    if (routedServices(plan).has(service.name)) return false
    return await engine.containers.startAgain(id, signal).then(
      () => true,
      (cause: unknown) => {
        if (cause instanceof EngineError) return false
        throw cause
      },
    )
  }

  return firstThatStays
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join()
}
