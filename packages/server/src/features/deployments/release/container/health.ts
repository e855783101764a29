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
import type { Target } from '../release.ts'

export type ContainerHealthDeps = {
  engine: Engine
  containers: AppContainers
  instance: string
  tuning: Tuning
  findTemplate: (name: string) => DatabaseTemplate | undefined
}

/** A container that was started, and where it is reached. A database and a service have an address too, and no visitors. */
export type Running = { readonly context: Context; readonly id: string; readonly address: Target | undefined }

const LAST_LINES = 200
const MOST_LOOKS = 30
const LOOK_MS = 100

/** Where a release of one container is reached, whether it is healthy, and if not, why. */
export function createContainerHealth(deps: ContainerHealthDeps) {
  const { engine, containers, instance, tuning } = deps

  async function addressOf({ app, config, ask }: Context, id: string): Promise<Target | undefined> {
    if (config.port === null) return undefined
    const details = await ask((signal) => engine.containers.inspect(id, signal))
    const ip = details?.ips[projectNetworkName(instance, app.project_id)]
    return ip === undefined || ip === '' ? undefined : { ip, port: config.port }
  }

  async function probe(running: Running): Promise<Probe> {
    const { context, id } = running
    const { config, signal } = context
    await checkAlive(running)
    const template = kindOf(config).madeFrom === 'template' ? deps.findTemplate(config.template) : undefined
    if (template) return await probeDatabase(id, template, signal)
    if (config.port === null) return { healthy: true } // the stability window judges a service without a port
    const address = running.address ?? (await addressOf(context, id))
    if (!address) return { healthy: false, reason: `nothing answers on port ${config.port}` }
    const port = await probePort(address.ip, address.port, signal)
    if (!port.healthy || config.healthcheckPath === '') return port
    return await probePath(`http://${address.ip}:${address.port}${config.healthcheckPath}`, signal)
  }

  async function probeDatabase(id: string, template: DatabaseTemplate, signal: AbortSignal): Promise<Probe> {
    const result = await engine.exec(id, template.healthCommand, signal)
    return result.exitCode === 0 ? { healthy: true } : { healthy: false, reason: 'the database does not accept connections yet' }
  }

  async function waitHealthy(running: Running): Promise<void> {
    const { config, signal, ask } = running.context
    const deadlineMs = kindOf(config).keepsData ? tuning.databaseHealthDeadlineMs : tuning.healthDeadlineMs
    const result = await waitUntilHealthy({
      probe: () => ask(() => probe(running)),
      deadlineMs,
      intervalMs: tuning.healthIntervalMs,
      signal,
    })
    if (!result.healthy) throw await explained(running, result.reason)
  }

  async function explained({ context, id }: Running, reason: string): Promise<DeploymentFailure> {
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

  async function checkAlive(running: Running): Promise<void> {
    const { context, id } = running
    const details = await context.ask((signal) => engine.containers.inspect(id, signal))
    if (details?.state !== 'running' || details.restartCount > 0) throw await explained(running, 'it stopped')
  }

  return { addressOf, waitHealthy, checkAlive }
}
