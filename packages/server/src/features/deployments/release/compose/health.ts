import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { whatItSaid } from '../../../../lib/error-lines.ts'
import type { Tuning } from '../../../../tuning.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { createLastWords } from '../health/last-words.ts'
import { type Probe, probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import type { Release, Target } from '../release.ts'

type Deps = {
  engine: Pick<Engine, 'containers'>
  containers: Pick<AppContainers, 'printedBy'>
  keptOutput: Pick<KeptOutput, 'keep'>
  tuning: Tuning
}

/** The containers of a release; `routed` is the one of the service that has the port. */
type Started = { readonly routed: { readonly id: string; readonly target: Target } | undefined; readonly others: readonly string[] }

/** Whether the services of a release stay up, and whether the one that has the port answers. */
export function createComposeHealth(deps: Deps) {
  const { engine, tuning } = deps
  const lastWords = createLastWords(deps)

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
      if (!result.healthy) throw await failure(context, details, `that has port ${routed.target.port} is not healthy: ${result.reason}`)
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
        throw await failure(context, details, whatHappened(details))
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

  async function failure(context: Context, details: ContainerDetails | null, words: string): Promise<DeploymentFailure> {
    const name = details?.owner.service ?? 'a service'
    const lastLines = details ? await lastWords(context, { details, prefix: `${name}: ` }) : []
    return new DeploymentFailure(`The service "${name}" ${words}${whatItSaid(lastLines)}`)
  }
}

function whatHappened(details: ContainerDetails | null): string {
  if (details === null) return 'disappeared'
  if (details.state === 'running') return 'ended and was started again'
  return details.exitCode === null ? `is ${details.state}` : `exited with code ${details.exitCode}`
}
