import { join } from 'node:path'
import { COMPOSE_FILES } from '@berth/contract'
import type { Artifact } from '../../../../domain/artifact.ts'
import type { BuildStack } from '../../../../engine/compose/build.ts'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { withRepository } from '../../../../engine/compose/repository.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { buildCacheScope, composeProjectName, labelsOf } from '../../../../engine/labels.ts'
import { readTextUpTo } from '../../../../git/read-text.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'
import type { Ports } from '../../../ports/service.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import type { CheckImages } from './images.ts'
import { hostPortsOf, keepPlan, planDirectory, refuseTaken } from './plan.ts'
import { keepFiles, refuseTooMuchPlaced } from './plan-files.ts'
import { refuseNotAllowed } from './refuse-not-allowed.ts'
import { createRepositoryFiles, type RepositoryFiles } from './repository-files.ts'

type Deps = {
  buildStack: BuildStack
  checkImages: CheckImages
  instance: string
  reservedPorts: readonly number[]
  newImageName: () => string
  ports: Pick<Ports, 'findTaken'>
  dataDir: string
}

/** Before a byte of it is read. What is read is then judged by its characters and values. */
const MAX_BYTES = 1024 * 1024

/** A compose file made into a plan that asks for nothing an app may not have, its images built, and the plan kept for rollbacks. */
export function createMakePlan(deps: Deps) {
  const { buildStack, instance } = deps

  async function planOf(context: Context, repository: RepositoryFiles): Promise<ComposePlan> {
    const { app, config } = context
    const root = await resolveInside(context.workspace, app.root_directory === '' ? '.' : app.root_directory)
    if (root?.kind !== 'directory')
      throw new DeploymentFailure(`The repository has no directory "${app.root_directory}". Check the root directory in the settings.`)
    const text = await composeText(root.path)
    const settings = {
      env: config.env,
      volumePrefix: composeProjectName(instance, app.id),
      port: config.port,
      memoryBytes: memoryBytesOf(config),
      ...(config.cpus !== null && { cpus: config.cpus }),
      reservedPorts: deps.reservedPorts,
      newImageName: deps.newImageName,
      directory: app.root_directory,
    }
    return await withRepository((lookUp) => planCompose(text, { ...settings, lookUp }), repository.read)
  }

  return async function makePlan(context: Context): Promise<Artifact> {
    const { app, deployment, effect, step } = context
    await context.enter('building_image')
    const repository = createRepositoryFiles(context.workspace, context.signal)
    const plan = await planOf(context, repository)
    refuseNotAllowed({ instance, projectId: app.project_id, appId: app.id, deploymentId: deployment.id }, plan)
    refuseTooMuchPlaced(plan, repository.blobs)
    for (const note of plan.notes ?? []) context.say(note)
    refuseTaken(await deps.ports.findTaken(app.id, hostPortsOf(plan))) // before minutes are spent on building
    const labels = labelsOf({ instance, kind: 'compose', projectId: app.project_id, appId: app.id, deploymentId: deployment.id })
    const workspace = app.root_directory === '' ? context.workspace : join(context.workspace, app.root_directory)
    const cacheScope = buildCacheScope(instance, app.project_id)
    const follower = { onLine: context.output, onActivity: context.active }
    await effect('engine.build', (signal) => buildStack(plan, { labels, cacheScope, ...follower, workspace, signal }))
    await deps.checkImages(context, plan) // while there is time for it: a start has minutes
    await step('files.plan', async () => {
      const directory = planDirectory(deps.dataDir, app.id, deployment.id)
      await keepFiles(directory, plan, repository.blobs)
      await keepPlan(directory, plan)
    })
    return { kind: 'compose', mainService: plan.routedService ?? plan.services[0]?.name ?? 'compose' }
  }
}

async function composeText(root: string): Promise<string> {
  for (const name of COMPOSE_FILES) {
    const file = await resolveInside(root, name)
    if (file?.kind !== 'file') continue
    const text = await readTextUpTo(file.path, MAX_BYTES)
    if (text === null) throw new DeploymentFailure(`The compose file ${name} is longer than 1 MB. Make it shorter, then deploy again.`)
    return text
  }
  throw new DeploymentFailure(
    `The repository has no compose file. Berth looks for ${COMPOSE_FILES.join(', ')} in the root directory of the application.`,
  )
}
