import type { Target } from '../../../../domain/routes.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import type { Context } from '../../run/stage.ts'
import { type Probe, probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import type { Release } from '../release.ts'
import { type ServiceFailure, whatHappened } from './service-failure.ts'

type Deps = { engine: Pick<Engine, 'containers'>; serviceFailure: ServiceFailure; tuning: Tuning }

/** A routed container and its targets. `hasPath`: the app's health check path is checked on this one. */
export type Reached = { readonly id: string; readonly targets: readonly Pick<Target, 'ip' | 'port'>[]; readonly hasPath: boolean }
/** The containers of a release. */
type Started = { readonly routed: readonly Reached[]; readonly others: readonly string[] }

/** Whether the services of a release stay up, and whether the routed ones respond. */
export function createComposeHealth(deps: Deps) {
  const { engine, tuning, serviceFailure } = deps

  return function healthOf(context: Context, { routed, others }: Started): Pick<Release, 'waitHealthy' | 'checkAlive'> {
    /** How often each routed service had been restarted by the time all of them were healthy. */
    let restarts: ReadonlyMap<string, number> | undefined

    async function waitHealthy(): Promise<void> {
      if (routed.length === 0) return await checkAlive()
      restarts = undefined
      const counts = new Map<string, number>()
      for (const reached of routed) {
        for (const target of reached.targets) await waitFor(reached, target)
        counts.set(reached.id, (await detailsOf(context, reached.id))?.restartCount ?? 0)
      }
      restarts = counts
    }

    async function waitFor(reached: Reached, target: Reached['targets'][number]): Promise<void> {
      const result = await waitUntilHealthy({
        deadlineMs: tuning.healthDeadlineMs,
        intervalMs: tuning.healthIntervalMs,
        signal: context.signal,
        probe: async () => {
          await checkAlive()
          return await probe(context, target, reached.hasPath)
        },
      })
      if (result.healthy) return
      const details = await detailsOf(context, reached.id)
      throw await serviceFailure(context, details, `(port ${target.port}) is not healthy: ${result.reason}`)
    }

    /**
     * In a compose app a service may exit with code 0, unless it is routed. One that its restart policy restarts may be waiting for its
     * database, so restarts count only once the release was healthy.
     */
    async function checkAlive(): Promise<void> {
      const routedIds = routed.map(({ id }) => id)
      for (const id of [...routedIds, ...others]) {
        const details = await detailsOf(context, id)
        const isRouted = routedIds.includes(id)
        const isOnItsWay = restarts === undefined && details?.state === 'restarting'
        const isUp = details?.state === 'running' && (!isRouted || details.restartCount <= (restarts?.get(id) ?? details.restartCount))
        if (isUp || isOnItsWay || (!isRouted && details?.exitCode === 0)) continue
        throw await serviceFailure(context, details, whatHappened(details))
      }
    }

    return { waitHealthy, checkAlive }
  }

  async function probe({ config, signal }: Context, { ip, port }: Reached['targets'][number], hasPath: boolean): Promise<Probe> {
    const open = await probePort(ip, port, signal)
    if (!open.healthy || !hasPath || config.healthcheckPath === '') return open
    return await probePath(`http://${ip}:${port}${config.healthcheckPath}`, signal)
  }

  async function detailsOf({ ask }: Context, id: string): Promise<ContainerDetails | null> {
    return await ask((signal) => engine.containers.inspect(id, signal))
  }
}
