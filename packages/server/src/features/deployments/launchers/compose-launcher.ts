import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Compose } from '../../../engine/compose.ts'
import { type ComposePlan, planCompose } from '../../../engine/compose-policy.ts'
import type { Engine } from '../../../engine/engine.ts'
import { appNetworkName, composeImageTag, composeProjectName, LABEL, labelsOf, projectNetworkName } from '../../../engine/labels.ts'
import { resolveInside } from '../../../git/resolve-inside.ts'
import type { Tuning } from '../../../tuning.ts'
import type { AppContainers } from '../app-containers.ts'
import { probePath, probePort, waitUntilHealthy } from '../health-check.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import { patiently } from '../patience.ts'
import type { Launcher, Release } from '../release.ts'
import { type Context, DeploymentFailure } from '../stage.ts'
import { hasPlan, keepPlan, keptPlan } from './compose-files.ts'

type Deps = {
  engine: Engine
  compose: Compose
  containers: AppContainers
  instance: string
  dataDir: string
  tuning: Tuning
  reservedPorts: readonly number[]
  cloneRepository: (context: Context) => Promise<void>
  findActiveId: (appId: number) => Promise<number | undefined>
}

const FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

/** Several containers an app, by the repository's compose file. The validated plan is kept, so that a rollback runs the same again. */
export function createComposeLauncher(deps: Deps): Launcher {
  const { engine, compose, containers, instance, tuning } = deps

  function directoryOf(appId: number, deploymentId: number): string {
    return join(deps.dataDir, 'compose', `app-${appId}`, `d${deploymentId}`)
  }

  function projectOf(context: Context, deploymentId: number, signal = context.signal) {
    return {
      name: composeProjectName(instance, context.app.id),
      directory: directoryOf(context.app.id, deploymentId),
      signal,
      onLine: context.output,
    }
  }

  async function planOf(context: Context): Promise<ComposePlan> {
    const { app, deployment, config } = context
    const root = await resolveInside(context.workspace, app.root_directory === '' ? '.' : app.root_directory)
    if (root?.kind !== 'directory')
      throw new DeploymentFailure(`The repository has no directory "${app.root_directory}". Check the root directory in the settings.`)
    const text = await composeText(root.path)
    return planCompose(text, {
      env: config.env,
      labels: labelsOf({ instance, kind: 'compose', projectId: app.project_id, appId: app.id, deploymentId: deployment.id }),
      serviceLabel: LABEL.service,
      appNetwork: appNetworkName(instance, app.id),
      projectNetwork: projectNetworkName(instance, app.project_id),
      alias: config.slug,
      port: config.port,
      memoryBytes: memoryBytesOf(config),
      ...(config.cpus !== null && { cpus: config.cpus }),
      reservedPorts: deps.reservedPorts,
      imageFor: (index) => composeImageTag(instance, { appId: app.id, deploymentId: deployment.id }, index),
    })
  }

  async function prepare(context: Context): Promise<string> {
    const { app, deployment, signal, step } = context
    await deps.cloneRepository(context)
    await context.enter('building_image')
    const plan = await planOf(context)
    const labels = labelsOf({ instance, kind: 'compose', projectId: app.project_id, appId: app.id, deploymentId: deployment.id })
    const workspace = app.root_directory === '' ? context.workspace : join(context.workspace, app.root_directory)
    await step(
      'engine.build',
      async () => await patiently(signal, async () => await compose.build(plan, { labels, onLine: context.output, signal, workspace })),
    )
    await step('files.plan', async () => await keepPlan(directoryOf(app.id, deployment.id), plan))
    return plan.routedService ?? plan.services[0] ?? 'compose'
  }

  async function start(context: Context, routedService: string): Promise<Release> {
    const { app, deployment, config, signal, step } = context
    const isKept = await hasPlan(directoryOf(app.id, deployment.id)) // the release that a rollback came from may be gone by now
    const source = isKept ? deployment.id : (deployment.release_of ?? deployment.id)
    await step(
      'engine.network',
      async () =>
        await patiently(signal, async () => {
          await engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal)
          await engine.networks.ensure(
            { name: appNetworkName(instance, app.id), owner: { instance, kind: 'network', projectId: app.project_id, appId: app.id } },
            signal,
          )
        }),
    )
    const plan = await keptPlan(directoryOf(app.id, source), { name: LABEL.deployment, value: String(deployment.id) })
    if (source !== deployment.id) await keepPlan(directoryOf(app.id, deployment.id), plan)
    await step('compose.up', async () => await patiently(signal, async () => await compose.up(plan, projectOf(context, deployment.id))))
    const started = await patiently(signal, async () => await containers.ofDeployment(app.id, deployment.id, signal))
    const routed = started.find((container) => container.labels[LABEL.service] === routedService)
    const ip = routed?.ips[projectNetworkName(instance, app.project_id)]
    const target = ip === undefined || ip === '' || config.port === null ? undefined : { ip, port: config.port }
    return { containerIds: started.map((container) => container.id), target }
  }

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
      for (const line of details ? await containers.lastLines(id, 20) : []) context.output(`${name}: ${line}`, 'stdout')
      throw new DeploymentFailure(
        `The service "${name}" ${details ? `exited with code ${details.exitCode ?? 'unknown'}` : 'disappeared'}. Its last lines are in the log.`,
      )
    }
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment, step } = context
    const signal = AbortSignal.timeout(120_000)
    await step('compose.undo', async () => {
      const active = await deps.findActiveId(app.id)
      if (active !== undefined && app.wanted === 'running') {
        const plan = await keptPlan(directoryOf(app.id, active), { name: LABEL.deployment, value: String(active) })
        await patiently(signal, async () => await compose.up(plan, projectOf(context, active, signal)))
        return
      }
      const ending = { removeVolumes: false, graceSeconds: tuning.stopGraceSeconds }
      await patiently(signal, async () => await compose.down(projectOf(context, deployment.id, signal), ending))
    })
  }

  return {
    prepare,
    retireOld: async (context) => context.say('Services that changed are replaced one by one'),
    start,
    waitHealthy,
    checkAlive,
    removeOld: async () => undefined, // `up` has replaced them
    undo,
  }
}

async function composeText(root: string): Promise<string> {
  for (const name of FILES) {
    const file = await resolveInside(root, name)
    if (file?.kind === 'file') return await readFile(file.path, 'utf8')
  }
  throw new DeploymentFailure(
    `The repository has no compose file. Berth looks for ${FILES.join(', ')} in the root directory of the application.`,
  )
}
