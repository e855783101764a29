import { setTimeout as sleep } from 'node:timers/promises'
import { kindOf } from '../../../../domain/app-kinds.ts'
import type { Target } from '../../../../domain/routes.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { projectNetworkName } from '../../../../engine/labels.ts'
import type { ListeningPort } from '../../../../lib/proc-net.ts'
import type { Tuning } from '../../../../lib/tuning.ts'
import type { DatabaseTemplate } from '../../../templates/templates.ts'
import type { KeptOutput } from '../../log/kept-output.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { createLastOutput } from '../health/last-output.ts'
import { createPortWatch } from '../health/port-watch.ts'
import { nothingResponds, type Probe, probePath, probePort, waitUntilHealthy } from '../health/probes.ts'
import { factsOf, whyUnhealthy } from '../health/why-unhealthy.ts'

export type ContainerHealthDeps = {
  engine: Engine
  containers: AppContainers
  instance: string
  tuning: Tuning
  keptOutput: Pick<KeptOutput, 'keep'>
  findTemplate: (name: string) => DatabaseTemplate | undefined
}

/** A started container and its address. Databases and services have an address too, but no visitors. */
export type Running = {
  readonly context: Context
  readonly id: string
  readonly address: Target | undefined
  /** Where it must answer. Null if staying up is enough: a service without a port, or a process beside the main one. */
  readonly port: number | null
  /** What it is called among others of its release; empty for the only one. */
  readonly name: string
}

const MOST_LOOKS = 30
const LOOK_MS = 100

/** The address of a single-container release, whether it is healthy, and if not, why. */
export function createContainerHealth(deps: ContainerHealthDeps) {
  const { engine, instance, tuning } = deps
  const explained = createExplanation(deps)

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
    if (running.port === null) return { healthy: true }
    const address = running.address ?? (await addressOf(context, id))
    if (!address) return { healthy: false, reason: nothingResponds(running.port) }
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
    const shouldGiveUp = watchPort(running)
    const look = async (): Promise<Probe> => {
      const result = await ask(() => probe(running))
      return result.healthy || result.reason !== nothingResponds(running.port) ? result : { ...result, isFinal: await shouldGiveUp() }
    }
    const result = await waitUntilHealthy({ probe: look, deadlineMs, intervalMs: tuning.healthIntervalMs, signal })
    if (!result.healthy) throw await explained(running, result.reason)
  }

  function watchPort({ context, id, port }: Running): () => Promise<boolean> {
    if (port === null) return async () => false
    return createPortWatch({
      port,
      look: () => listeningPorts(engine, id),
      say: context.say,
      sayAfterMs: tuning.sayPortsAfterMs,
      giveUpAfterMs: tuning.otherPortsDeadlineMs,
    })
  }

  async function checkAlive(running: Running): Promise<void> {
    const { context, id } = running
    const details = await context.ask((signal) => engine.containers.inspect(id, signal))
    if (details?.state !== 'running' || details.restartCount > 0) throw await explained(running, 'it stopped')
  }

  return { addressOf, waitHealthy, checkAlive }
}

async function listeningPorts(engine: Engine, id: string): Promise<ListeningPort[] | null> {
  return await engine.containers.listeningPorts(id).catch(() => null)
}

/** Inspects an unhealthy container and explains the problem to its owner. */
function createExplanation(deps: ContainerHealthDeps) {
  const { engine } = deps
  const lastOutput = createLastOutput(deps)

  async function explained({ context, id, name, port }: Running, reason: string): Promise<DeploymentFailure> {
    const { env, healthcheckPath } = context.config
    const details = await seenDown(id)
    const lastLines = details ? await lastOutput(context, { details, ...(name !== '' && { prefix: `${name} | ` }) }) : []
    const listening = details?.state === 'running' ? await listeningPorts(engine, id) : null
    const seen = { details, lastLines, listening, port, healthcheckPath, reason }
    return new DeploymentFailure(`${name === '' ? '' : `${name}: `}${whyUnhealthy(seen)}`, { facts: factsOf(seen, env) })
  }

  /** A container that was just restarted has no exit code, so we wait for a moment when it is down. */
  async function seenDown(id: string): Promise<ContainerDetails | null> {
    for (let looks = 0; ; looks += 1) {
      const details = await engine.containers.inspect(id)
      if (!details || details.state !== 'running' || details.restartCount === 0 || looks === MOST_LOOKS) return details
      await sleep(LOOK_MS)
    }
  }

  return explained
}
