import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { LABEL } from '../../../../engine/labels.ts'
import { createRedactor } from '../../../../lib/redact.ts'
import type { Tuning } from '../../../../tuning.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import type { Release } from '../release.ts'

type Deps = { engine: Pick<Engine, 'containers'>; containers: Pick<AppContainers, 'lastLines'>; tuning: Tuning }

const LAST_LINES = 20

/** Whether the services of a release stay up, and whether the one that has the port answers. */
export function createComposeHealth({ engine, containers, tuning }: Deps) {
  /** How often the service that has the port had been started again by the time it was healthy. */
  const restartsOf = new WeakMap<Release, number>()

  async function waitHealthy(context: Context, release: Release): Promise<void> {
    const { config, signal } = context
    const { target } = release
    if (!target) return await checkAlive(context, release)
    restartsOf.delete(release)
    const result = await waitUntilHealthy({
      deadlineMs: tuning.healthDeadlineMs,
      intervalMs: tuning.healthIntervalMs,
      signal,
      probe: async () => {
        await checkAlive(context, release)
        const port = await probePort(target.ip, target.port, signal)
        return !port.healthy || config.healthcheckPath === ''
          ? port
          : await probePath(`http://${target.ip}:${target.port}${config.healthcheckPath}`, signal)
      },
    })
    const [id = ''] = release.containerIds
    const details = await detailsOf(context, id)
    if (result.healthy) restartsOf.set(release, details?.restartCount ?? 0)
    else throw await failure(context, details, `that has port ${target.port} is not healthy: ${result.reason}`)
  }

  /**
   * A service that ran to its end is no failure in a compose app; one that failed is, and so is the end of the one that has the port. One
   * that is started again by its restart policy may be waiting for its database: that counts only once it was healthy.
   */
  async function checkAlive(context: Context, release: Release): Promise<void> {
    for (const [index, id] of release.containerIds.entries()) {
      const details = await detailsOf(context, id)
      const isRouted = index === 0 && release.target !== undefined
      const restarts = restartsOf.get(release)
      const isOnItsWay = restarts === undefined && details?.state === 'restarting'
      const isUp = details?.state === 'running' && (!isRouted || details.restartCount <= (restarts ?? details.restartCount))
      if (isUp || isOnItsWay || (!isRouted && details?.exitCode === 0)) continue
      throw await failure(context, details, whatHappened(details))
    }
  }

  async function detailsOf({ ask }: Context, id: string): Promise<ContainerDetails | null> {
    return await ask((signal) => engine.containers.inspect(id, signal))
  }

  async function failure(context: Context, details: ContainerDetails | null, words: string): Promise<DeploymentFailure> {
    const name = details?.labels[LABEL.service] ?? 'a service'
    const printed = details ? await containers.lastLines(details.id, LAST_LINES) : []
    const lastLines = createRedactor(Object.values(context.config.env)).lines(printed) // before each gets its name in front
    for (const line of lastLines) context.output(`${name}: ${line}`, 'stdout')
    return new DeploymentFailure(`The service "${name}" ${words}. Its last lines are in the log.`)
  }

  return { waitHealthy, checkAlive }
}

function whatHappened(details: ContainerDetails | null): string {
  if (details === null) return 'disappeared'
  if (details.state === 'running') return 'ended and was started again'
  return details.exitCode === null ? `is ${details.state}` : `exited with code ${details.exitCode}`
}
