import { setTimeout as sleep } from 'node:timers/promises'
import { kindOf } from '../../../../domain/app-kinds.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { projectNetworkName } from '../../../../engine/labels.ts'
import { createRedactor } from '../../../../lib/redact.ts'
import type { Tuning } from '../../../../tuning.ts'
import type { DatabaseTemplate } from '../../../templates/templates.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { type Probe, probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import { whyUnhealthy } from '../health/why-unhealthy.ts'
import type { Release } from '../release.ts'

export type ContainerHealthDeps = {
  engine: Engine
  containers: AppContainers
  instance: string
  tuning: Tuning
  findTemplate: (name: string) => DatabaseTemplate | undefined
}

const LAST_LINES = 20
const MOST_LOOKS = 30
const LOOK_MS = 100

/** Where a release of one container is reached, whether it is healthy, and if not, why. */
export function createContainerHealth(deps: ContainerHealthDeps) {
  const { engine, containers, instance, tuning } = deps

  async function targetOf({ app, config, ask }: Context, id: string): Promise<Release['target']> {
    if (config.port === null) return undefined
    const details = await ask((signal) => engine.containers.inspect(id, signal))
    const ip = details?.ips[projectNetworkName(instance, app.project_id)]
    return ip === undefined || ip === '' ? undefined : { ip, port: config.port }
  }

  async function probe(context: Context, release: Release): Promise<Probe> {
    const { config, signal } = context
    await checkAlive(context, release)
    const template = kindOf(config).madeFrom === 'template' ? deps.findTemplate(config.template) : undefined
    if (template) return await probeDatabase(release, template, signal)
    if (config.port === null) return { healthy: true } // the stability window judges a service without a port
    const target = release.target ?? (await targetOf(context, release.containerIds[0] ?? ''))
    if (!target) return { healthy: false, reason: `nothing answers on port ${config.port}` }
    const port = await probePort(target.ip, target.port, signal)
    if (!port.healthy || config.healthcheckPath === '') return port
    return await probePath(`http://${target.ip}:${target.port}${config.healthcheckPath}`, signal)
  }

  async function probeDatabase(release: Release, template: DatabaseTemplate, signal: AbortSignal): Promise<Probe> {
    const result = await engine.exec(release.containerIds[0] ?? '', template.healthCommand, signal)
    return result.exitCode === 0 ? { healthy: true } : { healthy: false, reason: 'the database does not accept connections yet' }
  }

  async function waitHealthy(context: Context, release: Release): Promise<void> {
    const { config, signal } = context
    const deadlineMs = kindOf(config).keepsData ? tuning.databaseHealthDeadlineMs : tuning.healthDeadlineMs
    const ask = () => context.ask(() => probe(context, release))
    const result = await waitUntilHealthy({ probe: ask, deadlineMs, intervalMs: tuning.healthIntervalMs, signal })
    if (!result.healthy) throw await explained(context, release, result.reason)
  }

  async function explained(context: Context, release: Release, reason: string): Promise<DeploymentFailure> {
    const [id = ''] = release.containerIds
    const details = await seenDown(id)
    const printed = details ? await containers.lastLines(id, LAST_LINES) : []
    // Here, while they are lines one behind the other: the reason holds some of them, side by side and cut.
    const lastLines = createRedactor(Object.values(context.config.env)).lines(printed)
    for (const line of lastLines) context.output(line, 'stdout')
    const listening = details?.state === 'running' ? await engine.containers.listeningPorts(id).catch(() => null) : null
    return new DeploymentFailure(
      whyUnhealthy({ details, lastLines, listening, port: context.config.port, healthcheckPath: context.config.healthcheckPath, reason }),
    )
  }

  /** One that its restart policy has just started again runs, and its exit code is gone: the next time that it is down says it. */
  async function seenDown(id: string): Promise<ContainerDetails | null> {
    for (let looks = 0; ; looks += 1) {
      const details = await engine.containers.inspect(id)
      if (!details || details.state !== 'running' || details.restartCount === 0 || looks === MOST_LOOKS) return details
      await sleep(LOOK_MS)
    }
  }

  async function checkAlive(context: Context, release: Release): Promise<void> {
    const [id = ''] = release.containerIds
    const details = await context.ask((signal) => engine.containers.inspect(id, signal))
    if (details?.state !== 'running' || details.restartCount > 0) throw await explained(context, release, 'it stopped')
  }

  return { targetOf, waitHealthy, checkAlive }
}
