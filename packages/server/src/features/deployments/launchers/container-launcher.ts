import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerSpec } from '../../../engine/container-spec.ts'
import type { ContainerDetails } from '../../../engine/container-state.ts'
import type { Engine } from '../../../engine/engine.ts'
import { containerName, labelsOf, projectNetworkName, volumeName } from '../../../engine/labels.ts'
import type { Tuning } from '../../../tuning.ts'
import type { DatabaseTemplate } from '../../templates/templates.ts'
import type { AppContainers } from '../app-containers.ts'
import { type Probe, probePath, probePort, waitUntilHealthy } from '../health-check.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import { patiently } from '../patience.ts'
import type { Launcher, Release } from '../release.ts'
import { type Context, DeploymentFailure } from '../stage.ts'
import { whyUnhealthy } from '../why-unhealthy.ts'

type Deps = {
  engine: Engine
  containers: AppContainers
  instance: string
  tuning: Tuning
  findTemplate: (name: string) => DatabaseTemplate | undefined
  prepare: (context: Context) => Promise<string>
}

const LAST_LINES = 20
const MOST_LOOKS = 30
const LOOK_MS = 100

/** Two at once would fight over the data, or the user asked for one at a time. */
function isSingle({ config }: Context): boolean {
  return config.type === 'database' || config.strategy === 'recreate'
}

/** One container an app: web apps, services and databases. */
export function createContainerLauncher(deps: Deps): Launcher {
  const { engine, containers, instance, tuning } = deps

  function specOf({ app, deployment, config }: Context, image: string): ContainerSpec {
    const template = config.type === 'database' ? deps.findTemplate(config.template) : undefined
    return {
      name: containerName(instance, app.id, deployment.id),
      image,
      labels: labelsOf({
        instance,
        kind: config.type === 'database' ? 'database' : 'app',
        projectId: app.project_id,
        appId: app.id,
        deploymentId: deployment.id,
      }),
      env: config.env,
      ...(template?.command && { command: template.command }),
      network: projectNetworkName(instance, app.project_id),
      aliases: [config.slug],
      volumes: template ? [{ volume: volumeName(instance, app.id), path: template.dataPath }] : [],
      memoryBytes: memoryBytesOf(config),
      ...(config.cpus !== null && { cpus: config.cpus }),
      restart: config.restart,
    }
  }

  async function start(context: Context, image: string): Promise<Release> {
    const { app, deployment, config, signal, step } = context
    const wait = () => context.say('The container engine does not answer; waiting for it')
    await step(
      'engine.network',
      async () =>
        await patiently(
          signal,
          async () => await engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal),
          wait,
        ),
    )
    if (config.type === 'database') {
      const labels = labelsOf({ instance, kind: 'volume', projectId: app.project_id, appId: app.id })
      await step(
        'engine.volume',
        async () => await patiently(signal, async () => await engine.volumes.ensure(volumeName(instance, app.id), labels, signal), wait),
      )
    }
    const id = await step(
      'engine.start',
      async () =>
        await patiently(
          signal,
          async () => {
            // A crash may have left one behind; its state is unknown, so it is made anew.
            for (const old of await containers.ofDeployment(app.id, deployment.id, signal)) await engine.containers.remove(old.id, signal)
            return await engine.containers.start(specOf(context, image), signal)
          },
          wait,
        ),
    )
    return { containerIds: [id], target: await targetOf(context, id) }
  }

  async function targetOf({ app, config, signal }: Context, id: string): Promise<Release['target']> {
    if (config.port === null) return undefined
    const details = await patiently(signal, async () => await engine.containers.inspect(id, signal))
    const ip = details?.ips[projectNetworkName(instance, app.project_id)]
    return ip === undefined || ip === '' ? undefined : { ip, port: config.port }
  }

  async function probe(context: Context, release: Release): Promise<Probe> {
    const { config, signal } = context
    await checkAlive(context, release)
    const template = config.type === 'database' ? deps.findTemplate(config.template) : undefined
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
    const deadlineMs = config.type === 'database' ? tuning.databaseHealthDeadlineMs : tuning.healthDeadlineMs
    const ask = async () => await patiently(signal, async () => await probe(context, release))
    const result = await waitUntilHealthy({ probe: ask, deadlineMs, intervalMs: tuning.healthIntervalMs, signal })
    if (!result.healthy) throw await explained(context, release, result.reason)
  }

  async function explained(context: Context, release: Release, reason: string): Promise<DeploymentFailure> {
    const [id = ''] = release.containerIds
    const details = await seenDown(id)
    const lastLines = details ? await containers.lastLines(id, LAST_LINES) : []
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
    const details = await patiently(context.signal, async () => await engine.containers.inspect(id, context.signal))
    if (details?.state !== 'running' || details.restartCount > 0) throw await explained(context, release, 'it stopped')
  }

  async function retireOld(context: Context): Promise<void> {
    if (!isSingle(context)) return context.say('The release that serves now goes on serving until the new one is healthy')
    const { app, deployment, signal, step } = context
    await step(
      'engine.stop_old',
      async () =>
        await patiently(signal, async () => {
          for (const old of await containers.ofOtherDeployments(app.id, deployment.id, signal))
            await engine.containers.stop(old.id, tuning.stopGraceSeconds, signal)
        }),
    )
  }

  async function removeOld({ app, deployment, signal, step }: Context): Promise<void> {
    await step(
      'engine.remove_old',
      async () =>
        await patiently(signal, async () => {
          for (const old of await containers.ofOtherDeployments(app.id, deployment.id, signal)) {
            await engine.containers.stop(old.id, tuning.stopGraceSeconds, signal)
            await engine.containers.remove(old.id, signal)
          }
        }),
    )
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment, step } = context
    const signal = AbortSignal.timeout(60_000) // the signal of the deployment has ended, and this must happen all the same
    await step(
      'engine.undo',
      async () =>
        await patiently(signal, async () => {
          for (const made of await containers.ofDeployment(app.id, deployment.id, signal)) await engine.containers.remove(made.id, signal)
          if (isSingle(context) && app.wanted === 'running')
            for (const old of await containers.ofOtherDeployments(app.id, deployment.id, signal))
              await engine.containers.startAgain(old.id, signal)
        }),
    )
  }

  return { prepare: deps.prepare, retireOld, start, waitHealthy, checkAlive, removeOld, undo }
}
