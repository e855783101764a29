import { join } from 'node:path'
import { type Artifact, NO_SERVICE } from '../../../../domain/artifact.ts'
import { findComposeText } from '../../../../domain/compose-text.ts'
import type { BuildStack } from '../../../../engine/compose/build.ts'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { withRepository } from '../../../../engine/compose/repository.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { buildCacheScope, composeProjectName, labelsOf } from '../../../../engine/labels.ts'
import type { RegistryCredentials } from '../../../../engine/registry.ts'
import type { Reader } from '../../../../store/database.ts'
import type { Context } from '../../run/stage.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import { composeFileIn } from './compose-file.ts'
import { findEndpoints } from './endpoint-store.ts'
import type { CheckImages } from './images.ts'
import { keepPlan, planDirectory } from './plan.ts'
import { keepFiles } from './plan-files.ts'
import type { WithPrivateImages } from './private-images.ts'
import { refusePlan } from './refuse-not-allowed.ts'
import { createRepositoryFiles, type RepositoryFiles } from './repository-files.ts'
import type { SharedPlans } from './shared-plans.ts'

type Deps = {
  db: Reader
  buildStack: BuildStack
  checkImages: CheckImages
  withPrivateImages: WithPrivateImages
  /** Of the project's registries, for base images. */
  credentialsOf: (projectId: number) => Promise<readonly RegistryCredentials[]>
  instance: string
  reservedPorts: () => Promise<readonly number[]>
  newImageName: () => string
  dataDir: string
  /** If there are several nodes. */
  sharedPlans: Pick<SharedPlans, 'store'> | undefined
}

/** Turns a compose file into a plan that contains nothing an app may not have, builds its images, and stores the plan for rollbacks. */
export function createMakePlan(deps: Deps) {
  const { buildStack, instance } = deps

  async function planOf(context: Context, repository: RepositoryFiles): Promise<ComposePlan> {
    const { app, config } = context
    const pasted = app.git_clone_url === '' ? await findComposeText(deps.db, app.id) : undefined
    const source = pasted === undefined ? await composeFileIn(context.workspace, app.root_directory) : { name: '', text: pasted }
    const settings = {
      env: config.env,
      volumePrefix: composeProjectName(instance, app.id),
      port: config.port,
      memoryBytes: memoryBytesOf(config),
      ...(config.cpus !== null && { cpus: config.cpus }),
      reservedPorts: await deps.reservedPorts(),
      newImageName: deps.newImageName,
      directory: app.root_directory,
      ...(await findEndpoints(deps.db, app.id)),
      standsAlone: pasted !== undefined,
    }
    const plan = await withRepository((access) => planCompose(source.text, { ...settings, ...access }), repository.read)
    return { ...plan, source }
  }

  return async function makePlan(context: Context): Promise<Artifact> {
    const { app, deployment, effect, step } = context
    await context.enter('building_image', 'Preparing the services')
    const repository = createRepositoryFiles(context.workspace, context.signal)
    const { foundPort, ...planned } = await planOf(context, repository)
    refusePlan({ instance, projectId: app.project_id, appId: app.id, deploymentId: deployment.id }, planned, repository.blobs)
    for (const note of planned.notes ?? []) context.say(note)
    if (foundPort !== undefined) {
      await context.notePort(foundPort)
      context.say(`The app had no port. It is now ${foundPort}, where the service ${planned.routedService} listens according to the file.`)
    }
    const labels = labelsOf({ instance, kind: 'compose', projectId: app.project_id, appId: app.id, deploymentId: deployment.id })
    const workspace = app.root_directory === '' ? context.workspace : join(context.workspace, app.root_directory)
    const cacheScope = buildCacheScope(instance, app.project_id)
    const follower = { onLine: context.output, onActivity: context.active }
    const credentials = await deps.credentialsOf(app.project_id)
    const secrets = new Map(Object.entries(context.buildSecrets).map(([name, value]) => [name, Buffer.from(value)]))
    const forBuilds = { labels, cacheScope, credentials, secrets, blobs: repository.blobs, ...follower }
    const given = { projectId: app.project_id, setBy: app.source_set_by, ...forBuilds }
    await effect('engine.build', (signal) => buildStack(planned, { ...given, workspace, repository: context.workspace, signal }))
    const plan = await deps.withPrivateImages(context, withoutBuildSecrets(planned))
    await deps.checkImages(context, plan) // here rather than at the start, which has a limit of minutes
    await step('files.plan', async () => {
      const directory = planDirectory(deps.dataDir, app.id, deployment.id)
      await keepFiles(directory, plan, repository.blobs)
      await keepPlan(directory, plan)
      await deps.sharedPlans?.store(app.id, [deployment.id])
    })
    return { kind: 'compose', mainService: plan.routedService ?? NO_SERVICE }
  }
}

/** The build is over, and a plan is kept for as long as its release. */
function withoutBuildSecrets(plan: ComposePlan): ComposePlan {
  const builds = plan.builds.map(({ secrets, ...build }) => {
    void secrets
    return build
  })
  return { ...plan, builds }
}
