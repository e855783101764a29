import type { Engine } from '../../../engine/engine.ts'
import { LABEL } from '../../../engine/labels.ts'
import type { Tuning } from '../../../tuning.ts'
import type { AppContainers } from '../app-containers.ts'
import { probePath, probePort, waitUntilHealthy } from '../health-check.ts'
import { patiently } from '../patience.ts'
import type { Release } from '../release.ts'
import { type Context, DeploymentFailure } from '../stage.ts'

type Deps = { engine: Pick<Engine, 'containers'>; containers: Pick<AppContainers, 'lastLines'>; tuning: Tuning }

const LAST_LINES = 20

/** Whether the services of a release stay up, and whether the one that has the port answers. */
export function createComposeHealth({ engine, containers, tuning }: Deps) {
  async function waitHealthy(context: Context, release: Release): Promise<void> {
    const { config, signal } = context
    const { target } = release
    if (!target) return await checkAlive(context, release)
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
    if (!result.healthy) throw new DeploymentFailure(`The service that has port ${target.port} is not healthy: ${result.reason}.`)
  }

  /** A service that ran to its end is no failure in a compose app; one that failed is. */
  async function checkAlive(context: Context, release: Release): Promise<void> {
    for (const id of release.containerIds) {
      const details = await patiently(context.signal, async () => await engine.containers.inspect(id, context.signal))
      if (details && (details.state === 'running' || details.exitCode === 0)) continue
      const name = details?.labels[LABEL.service] ?? 'a service'
      for (const line of details ? await containers.lastLines(id, LAST_LINES) : []) context.output(`${name}: ${line}`, 'stdout')
      throw new DeploymentFailure(
        `The service "${name}" ${details ? `exited with code ${details.exitCode ?? 'unknown'}` : 'disappeared'}. Its last lines are in the log.`,
      )
    }
  }

  return { waitHealthy, checkAlive }
}
