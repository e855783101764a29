import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { Tuning } from '../../../../tuning.ts'
import type { Context } from '../../run/stage.ts'
import { type Probe, probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import type { Release, Target } from '../release.ts'
import { type ServiceFailure, whatHappened } from './service-failure.ts'

type Deps = { engine: Pick<Engine, 'containers'>; serviceFailure: ServiceFailure; tuning: Tuning }

/** The containers of a release; `routed` is the one of the service that has the port. */
type Started = { readonly routed: { readonly id: string; readonly target: Target } | undefined; readonly others: readonly string[] }

/** Whether the services of a release stay up, and whether the one that has the port answers. */
export function createComposeHealth(deps: Deps) {
  const { engine, tuning, serviceFailure } = deps

  return function healthOf(context: Context, { routed, others }: Started): Pick<Release, 'waitHealthy' | 'checkAlive'> {
    /** How often the service that has the port had been started again by the time it was healthy. */
    let restarts: number | undefined

    async function waitHealthy(): Promise<void> {
      if (!routed) return await checkAlive()
      restarts = undefined
      const result = await waitUntilHealthy({
        deadlineMs: tuning.healthDeadlineMs,
        intervalMs: tuning.healthIntervalMs,
        signal: context.signal,
        probe: async () => {
          await checkAlive()
          return await probe(context, routed.target)
        },
      })
      const details = await detailsOf(context, routed.id)
      if (!result.healthy)
        throw await serviceFailure(context, details, `that has port ${routed.target.port} is not healthy: ${result.reason}`)
      restarts = details?.restartCount ?? 0
    }

    /**
     * A service that ran to its end is no failure in a compose app; one that failed is, and so is the end of the one that has the port. One
     * that is started again by its restart policy may be waiting for its database: that counts only once it was healthy.
     */
    async function checkAlive(): Promise<void> {
      for (const id of [...(routed ? [routed.id] : []), ...others]) {
        const details = await detailsOf(context, id)
        const isRouted = id === routed?.id
        const isOnItsWay = restarts === undefined && details?.state === 'restarting'
        const isUp = details?.state === 'running' && (!isRouted || details.restartCount <= (restarts ?? details.restartCount))
        if (isUp || isOnItsWay || (!isRouted && details?.exitCode === 0)) continue
        throw await serviceFailure(context, details, whatHappened(details))
      }
    }

    return { waitHealthy, checkAlive }
  }

  async function probe({ config, signal }: Context, { ip, port }: Target): Promise<Probe> {
    const open = await probePort(ip, port, signal)
    return !open.healthy || config.healthcheckPath === '' ? open : await probePath(`http://${ip}:${port}${config.healthcheckPath}`, signal)
  }

  async function detailsOf({ ask }: Context, id: string): Promise<ContainerDetails | null> {
    return await ask((signal) => engine.containers.inspect(id, signal))
  }
}
