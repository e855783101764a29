import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config, EngineAddress } from '../config.ts'
import { isStaff } from '../domain/caller.ts'
import { type AppRow, findUser } from '../domain/rows.ts'
import type { LimitedBuild } from '../engine/build/build.ts'
import { createCompose } from '../engine/compose/compose.ts'
import type { Engine } from '../engine/engine.ts'
import { newImageName } from '../engine/image-names.ts'
import { createBuildTimes } from '../features/deployments/build-times.ts'
import { createBuildLogs } from '../features/deployments/log/build-log.ts'
import { createAppContainers } from '../features/deployments/release/app-containers.ts'
import { createCheckDockerfile } from '../features/deployments/release/check-dockerfile.ts'
import { createCleanUp } from '../features/deployments/release/clean-up.ts'
import { createCloneRepository } from '../features/deployments/release/clone-repository.ts'
import { createComposeLauncher } from '../features/deployments/release/compose/launcher.ts'
import { createBuildImage } from '../features/deployments/release/container/build-image.ts'
import { createContainerLauncher } from '../features/deployments/release/container/launcher.ts'
import { createPullTemplate } from '../features/deployments/release/container/pull-template.ts'
import type { Launcher } from '../features/deployments/release/release.ts'
import { createRenameImages } from '../features/deployments/release/rename-images.ts'
import { createRestore } from '../features/deployments/release/restore.ts'
import { createRunDeployment } from '../features/deployments/run/deployment-job.ts'
import { createRecord } from '../features/deployments/run/deployment-writes.ts'
import type { Routes } from '../features/deployments/run/pipeline.ts'
import type { Context } from '../features/deployments/run/stage.ts'
import { findActive } from '../features/deployments/store.ts'
import type { EnvVariables } from '../features/env-variables/service.ts'
import type { Ports } from '../features/ports/service.ts'
import { findTemplate } from '../features/templates/templates.ts'
import type { Git } from '../git/git.ts'
import { resolveInside } from '../git/resolve-inside.ts'
import type { SourcePolicy } from '../git/source-policy.ts'
import type { Logger } from '../lib/logger.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Step } from '../lib/step.ts'
import type { Db } from '../store/database.ts'
import type { Tuning } from '../tuning.ts'

type Deps = {
  config: Config
  db: Db
  engine: Engine
  git: Git
  policy: SourcePolicy
  isEngineWalled: () => boolean
  instance: string
  secrets: SecretBox
  envVariables: Pick<EnvVariables, 'read'>
  routes: Routes
  ports: Ports
  retention: () => Promise<number>
  step: Step
  tuning: Tuning
  log: Logger
  now: () => Date
  onChanged: () => void
}

function engineUrl(address: EngineAddress): string {
  return 'socketPath' in address ? `unix://${address.socketPath}` : `tcp://${address.host}:${address.port}`
}

/** Everything that a deployment needs, created top to bottom. */
export function createDeploymentParts(deps: Deps) {
  const { config, db, engine, git, instance, secrets, routes, step, tuning, log, now } = deps
  const logs = createBuildLogs({ directory: join(config.dataDir, 'logs'), log })
  const record = createRecord({ db, now })
  const containers = createAppContainers({ engine, instance })
  /** Asked anew for each deployment, so that the role of this moment counts. Somebody who is gone has no rights. */
  const isPrivileged = async (userId: number | null) => {
    const user = userId === null ? undefined : await findUser(db, userId)
    return user !== undefined && isStaff(user)
  }

  const cloneRepository = createCloneRepository({ git, isPrivileged })
  const cores = availableParallelism()
  const buildLimits = {
    memoryBytes: Math.floor(totalmem() * 0.6),
    cpus: Math.max(1, cores - 0.5),
    processes: Math.max(1024, 128 * cores), // threads count, and build tools start some for each core
  }
  const buildTimes = createBuildTimes({ db, now })
  const build: LimitedBuild = async (request) => await buildTimes.during(async () => await engine.build({ ...request, ...buildLimits }))
  const checkDockerfile = createCheckDockerfile({ policy: deps.policy, isEngineWalled: deps.isEngineWalled })
  const buildImage = createBuildImage({ build, checkDockerfile, instance, newImageName })
  const pullTemplate = createPullTemplate({ engine, findTemplate })
  const cloneAndBuild = async (context: Context) => {
    await cloneRepository(context)
    return await buildImage(context)
  }

  const container = { engine, containers, instance, tuning, findTemplate }
  const fromGit = createContainerLauncher({ ...container, prepare: cloneAndBuild })
  const fromTemplate = createContainerLauncher({ ...container, prepare: pullTemplate })
  const compose = createCompose({
    build,
    checkDockerfile,
    inside: resolveInside,
    path: config.path,
    home: join(config.dataDir, 'compose'),
    engineUrl: engineUrl(config.engine),
  })
  const fromCompose = createComposeLauncher({
    engine,
    compose,
    containers,
    instance,
    dataDir: config.dataDir,
    tuning,
    newImageName,
    ports: deps.ports,
    reservedPorts: [config.port, config.edge.httpPort, config.edge.httpsPort],
    cloneRepository,
    findActiveId: async (appId) => (await findActive(db, appId))?.id,
  })
  const launchers: Record<AppRow['app_type'], Launcher> = { web: fromGit, service: fromGit, database: fromTemplate, compose: fromCompose }
  const launcherOf = (app: AppRow) => launchers[app.app_type]

  const cleanUp = createCleanUp({ db, engine, dataDir: config.dataDir, retention: deps.retention })
  const isServing = async (appId: number, deploymentId: number) => {
    const live = await containers.ofDeployment(appId, deploymentId).catch(() => undefined)
    return live === undefined || live.some((entry) => entry.state === 'running') // an engine that is away keeps its containers running
  }
  const runDeployment = createRunDeployment({
    db,
    engine,
    record,
    logs,
    secrets,
    launcherOf,
    routes,
    isServing,
    cleanUp,
    step,
    tuning,
    log,
    readEnv: deps.envVariables.read,
    dataDir: config.dataDir,
    workDir: config.workDir,
    instance,
    onChanged: deps.onChanged,
  })
  const renameImages = createRenameImages({ db, engine, dataDir: config.dataDir, newImageName, log })
  const restore = createRestore({ db, containers, secrets, launcherOf, step, now, log, onChanged: deps.onChanged })
  return { logs, buildTimes, containers, isPrivileged, runDeployment, renameImages, restore }
}
