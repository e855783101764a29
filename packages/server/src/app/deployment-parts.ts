import { availableParallelism, totalmem } from 'node:os'
import type { Config } from '../config.ts'
import type { Routes } from '../domain/routes.ts'
import { findProject } from '../domain/rows.ts'
import { createStackBuild } from '../engine/compose/build.ts'
import type { Engine } from '../engine/engine.ts'
import { newImageName } from '../engine/image-names.ts'
import type { StopInTime } from '../engine/stop-in-time.ts'
import { createBuildCacheRoom } from '../features/deployments/build-cache/build-cache-room.ts'
import { createBuildTimes } from '../features/deployments/build-cache/build-times.ts'
import { createMakeRoom } from '../features/deployments/build-cache/make-room.ts'
import { createForgetOld } from '../features/deployments/history/forget-old.ts'
import { createAppContainers } from '../features/deployments/release/app-containers.ts'
import { createCheckDockerfile } from '../features/deployments/release/check-dockerfile.ts'
import { createCleanUp } from '../features/deployments/release/clean-up.ts'
import { createCloneRepository } from '../features/deployments/release/clone-repository.ts'
import { createCheckImages } from '../features/deployments/release/compose/images.ts'
import { createComposeLauncher } from '../features/deployments/release/compose/launcher.ts'
import { createMakePlan } from '../features/deployments/release/compose/make-plan.ts'
import { createPrivateImages } from '../features/deployments/release/compose/private-images.ts'
import type { SharedPlans } from '../features/deployments/release/compose/shared-plans.ts'
import { createBuildImage, createLimitedBuild } from '../features/deployments/release/container/build-image.ts'
import { createContainerLauncher } from '../features/deployments/release/container/launcher.ts'
import { createPullReadyImage } from '../features/deployments/release/container/pull-image.ts'
import { createPullTemplate } from '../features/deployments/release/container/pull-template.ts'
import { createReleaseCommand } from '../features/deployments/release/container/release-command.ts'
import { createRemoveImages } from '../features/deployments/release/container/remove-images.ts'
import { createPullImages } from '../features/deployments/release/pull-images.ts'
import { createPullPlaces, type InPullPlace } from '../features/deployments/release/pull-places.ts'
import { createRenameImages } from '../features/deployments/release/rename-images.ts'
import { createRestore } from '../features/deployments/release/restore.ts'
import { createRestoreLater } from '../features/deployments/release/restore-later.ts'
import { createIsPrivileged } from '../features/deployments/request/is-privileged.ts'
import { createRunDeployment } from '../features/deployments/run/deployment-job.ts'
import { createRecord } from '../features/deployments/run/deployment-writes.ts'
import { createEndFailed } from '../features/deployments/run/end-failed-deployment.ts'
import { createPreflight } from '../features/deployments/run/preflight.ts'
import { createSettingsOf, withBuildSecrets } from '../features/deployments/run/release-settings.ts'
import { createDiskRoom } from '../features/disk/service.ts'
import type { ResolveEnvironment } from '../features/env-variables/resolve-environment.ts'
import type { CommitCheck } from '../features/git-providers/commit-check.ts'
import type { SourceOf } from '../features/git-providers/source-of.ts'
import type { Ports } from '../features/ports/service.ts'
import { createCurrentFiles } from '../features/storage/release-files.ts'
import { findTemplate } from '../features/templates/templates.ts'
import type { Git } from '../git/git.ts'
import type { FetchLfs } from '../git/lfs.ts'
import { resolveInside } from '../git/resolve-inside.ts'
import type { SourcePolicy } from '../git/source-policy.ts'
import type { Logger } from '../lib/logger.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Step } from '../lib/step.ts'
import type { Tuning } from '../lib/tuning.ts'
import { createTurns, type InTurn } from '../lib/turns.ts'
import type { Db } from '../store/database.ts'
import type { NodeIdentity } from '../store/presence.ts'
import { createLogParts } from './log-parts.ts'
import type { RegistryParts } from './registry-parts.ts'

type Deps = {
  config: Config
  db: Db
  engine: Engine
  stop: StopInTime['stop']
  git: Git
  fetchLfs: FetchLfs
  sourceOf: SourceOf
  checkCommit: CommitCheck
  registries: RegistryParts
  policy: SourcePolicy
  hasEngineFirewall: () => boolean
  instance: string
  secrets: SecretBox
  node: NodeIdentity | undefined
  sharedPlans: SharedPlans | undefined
  resolveEnvironment: ResolveEnvironment
  buildSecretsOf: (appId: number) => Promise<Readonly<Record<string, string>>>
  routes: Routes
  ports: Ports
  reservedPorts: () => Promise<readonly number[]>
  retention: () => Promise<number>
  step: Step
  tuning: Tuning
  log: Logger
  now: () => Date
  /** Called when containers of the app were started or removed. */
  onChanged: (appId: number) => void
}

/** Everything that a deployment needs, created top to bottom. */
export function createDeploymentParts(deps: Deps) {
  const { config, db, engine, instance, secrets, routes, tuning, log, now } = deps
  const { dataDir } = config
  const { logs, keptOutput } = createLogParts(deps)
  const record = createRecord({ db, secrets, now })
  const containers = createAppContainers({ engine, instance })
  const isPrivileged = createIsPrivileged(db)
  const buildTimes = createBuildTimes({ db, now })
  const inPullPlace = createPullPlaces({ ownerOf: async (projectId) => (await findProject(db, projectId))?.owner_id })
  const checkImages = createCheckImages({
    engine,
    refuseImage: deps.registries.gate.refuseImage,
    refuseOthersImage: deps.registries.visits.refuseOthersImage,
    inPullPlace,
  })
  const inImageTurn = createTurns<string>()
  const stages = createStages(deps, { buildTimes, checkImages, inImageTurn, inPullPlace })
  const launchers = {
    container: createContainerLauncher({ ...deps, containers, keptOutput, findTemplate }),
    compose: createComposeLauncher({ ...deps, checkImages, containers, dataDir, keptOutput }),
  }
  const runReleaseCommand = createReleaseCommand({ ...deps, containers, record })
  const pipeline = { stages, runReleaseCommand, launchers, routes, record, stabilityMs: tuning.stabilityMs }
  const restoreLater = createRestoreLater({ db, now })
  const { isServing } = containers
  const removeImages = createRemoveImages({ engine, instance })
  const endFailed = createEndFailed({ ...deps, record, pipeline, isServing, removeImages, restoreLater })
  const currentFiles = createCurrentFiles({ db, secrets })
  const settingsOf = createSettingsOf({ secrets, resolveEnvironment: deps.resolveEnvironment, currentFiles, log })
  const restore = createRestore({ ...deps, settingsOf, launchers, containers })
  const runDeployment = createRunDeployment({
    ...deps,
    logs,
    record,
    settingsOf: withBuildSecrets({ settingsOf, buildSecretsOf: deps.buildSecretsOf, log }),
    restore,
    restoreLater,
    preflight: createPreflight({ engine, dataDir, tuning, isPrivileged, oldEngineBuilds: config.oldEngineBuilds }),
    pipeline,
    endFailed,
    cleanUp: createCleanUp({ db, removeImage: engine.images.remove, dataDir, retention: deps.retention }),
    workDir: config.workDir,
  })
  const renameImages = createRenameImages({ db, engine, dataDir, newImageName, log })
  return {
    logs,
    keptOutput,
    ...createRoom(deps, buildTimes),
    containers,
    isPrivileged,
    runDeployment,
    renameImages,
    restore,
    restoreLater,
    inImageTurn,
  }
}

/** Frees space: automatically when the disk fills up, on request, and by deleting old history. */
function createRoom({ config, db, engine, instance, tuning, log, now }: Deps, buildTimes: ReturnType<typeof createBuildTimes>) {
  const { dataDir } = config
  const buildCache = createBuildCacheRoom({ engine, buildTimes })
  const keepLiveOnly = createCleanUp({ db, removeImage: engine.images.remove, dataDir, retention: async () => 1 })
  return {
    makeRoom: createMakeRoom({ buildCache, dataDir, floorBytes: tuning.diskFloorBytes, log }),
    disk: createDiskRoom({ db, engine, buildCache, keepLiveOnly, instance, dataDir, now }),
    forgetOld: createForgetOld({ db }),
  }
}

type StageParts = {
  buildTimes: ReturnType<typeof createBuildTimes>
  checkImages: ReturnType<typeof createCheckImages>
  inImageTurn: InTurn<string>
  inPullPlace: InPullPlace
}

/** The stages that end in something that can be started. */
function createStages(deps: Deps, { buildTimes, checkImages, inImageTurn, inPullPlace }: StageParts) {
  const { db, engine, git, instance, secrets } = deps
  const { dataDir } = deps.config
  const { visits, credentials, gate } = deps.registries
  const build = createLimitedBuild({ engine, buildTimes, machine: { cores: availableParallelism(), memoryBytes: totalmem() } })
  const checkDockerfile = createCheckDockerfile({
    policy: deps.policy,
    hasEngineFirewall: deps.hasEngineFirewall,
    engine,
    refuseOthersDigest: visits.refuseOthersDigest,
    refuseImage: gate.refuseImage,
    inPullPlace,
  })
  const buildStack = createStackBuild({ build, checkDockerfile, inside: resolveInside })

  const pullImage = createPullImages({
    engine,
    resolve: visits.resolve,
    admit: visits.admit,
    credentialsFor: credentials.forHost,
    inPullPlace,
    instance,
    inImageTurn,
    nameOf: secrets.nameOf,
  })
  return {
    cloneRepository: createCloneRepository({ db, git, sourceOf: deps.sourceOf, checkCommit: deps.checkCommit, fetchLfs: deps.fetchLfs }),
    buildImage: createBuildImage({ db, build, checkDockerfile, instance, newImageName, credentialsOf: credentials.ofProject }),
    makePlan: createMakePlan({
      db,
      buildStack,
      checkImages,
      withPrivateImages: createPrivateImages({
        pullImage,
        hostsOf: deps.registries.hostsOf,
        refuseOthersDigest: visits.refuseOthersDigest,
        refuseImage: gate.refuseImage,
      }),
      credentialsOf: credentials.ofProject,
      instance,
      dataDir,
      sharedPlans: deps.sharedPlans,
      newImageName,
      reservedPorts: deps.reservedPorts,
    }),
    pullReadyImage: createPullReadyImage({ db, pullImage }),
    pullTemplate: createPullTemplate({ engine, findTemplate, inPullPlace }),
  }
}
