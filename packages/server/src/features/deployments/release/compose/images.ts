import { EngineError } from '../../../../engine/api/errors.ts'
import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { isPulled } from '../../../../engine/image-names.ts'
import { type ImageDetails, MOST_SETTINGS_BYTES, MOST_VOLUMES } from '../../../../engine/images.ts'
import { RegistryError } from '../../../../engine/registry-failure.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { RefuseImage, RefuseOthersImage } from '../pull-images.ts'
import type { InPullPlace } from '../pull-places.ts'

type Follower = Pick<Context, 'ask' | 'signal' | 'say' | 'output' | 'active'> & {
  app: Pick<Context['app'], 'project_id' | 'source_set_by'>
}

const SHORTEST_CHECK_MS = 1000

type Deps = { engine: Pick<Engine, 'images'>; refuseImage: RefuseImage; refuseOthersImage: RefuseOthersImage; inPullPlace: InPullPlace }

/** Pulls every image before anything is stopped, and checks settings of the images that the compose file does not mention. */
export function createCheckImages({ engine, refuseImage, refuseOthersImage, inPullPlace }: Deps) {
  return async function checkImages(context: Follower, plan: ComposePlan): Promise<void> {
    for (const service of plan.services) {
      const found = await context.ask(() => engine.images.inspect(service.image, context.signal))
      const image = found ?? (await pulled(context, plan, service))
      await refuseForeign(context, plan, { service, image })
      const why = imageProblem(image)
      if (why !== undefined) throw new DeploymentFailure(`The service "${service.name}" cannot be started: its image ${why}`)
    }
  }

  /** What was built for this release, or was pulled for it with credentials, is the app's own. */
  async function refuseForeign(context: Follower, plan: ComposePlan, { service, image }: { service: StackService; image: ImageDetails }) {
    if (isPulled(service.image) || plan.builds.some((build) => build.image === service.image)) return
    const { project_id: projectId } = context.app
    await context.ask((signal) => refuseOthersImage(image, service.image, { projectId, signal })).catch(asFailure)
  }

  async function pulled(context: Follower, plan: ComposePlan, { name, image, platform }: StackService): Promise<ImageDetails> {
    const { app, signal, say, output, active, ask } = context
    if (isPulled(image))
      throw new DeploymentFailure(
        `The image that was pulled for the service "${name}" no longer exists. Deploy again instead of rolling back.`,
      )
    if (plan.builds.some((build) => build.image === image))
      throw new DeploymentFailure(
        `The image that was built for the service "${name}" no longer exists. Deploy a commit instead of rolling back.`,
      )
    await refuseImage(image, app.source_set_by).catch(asFailure)
    say(`Pulling ${image} for the service ${name}`)
    const follow = { signal, platform, onLine: (line: string) => output(line, 'stdout'), onActivity: active }
    const pull = () => ask(() => engine.images.pull(image, follow).then(() => undefined, engineWords))
    const refusal = await inPullPlace(app.project_id, context, pull)
    const found = await ask(() => engine.images.inspect(image, signal))
    if (found === null)
      throw new DeploymentFailure(`The image ${image} of the service "${name}" could not be pulled: ${refusal ?? 'it does not exist'}`)
    return found
  }
}

export type CheckImages = ReturnType<typeof createCheckImages>

function asFailure(cause: unknown): never {
  throw cause instanceof RegistryError ? new DeploymentFailure(cause.message, { cause }) : cause
}

function engineWords(cause: unknown): string {
  if (cause instanceof EngineError) return cause.message
  throw cause
}

type Judged = Pick<ImageDetails, 'settingsBytes' | 'shortestCheckMs' | 'volumePaths'>

export function imageProblem({ settingsBytes, shortestCheckMs, volumePaths }: Judged): string | undefined {
  if (settingsBytes > MOST_SETTINGS_BYTES)
    return `has ${Math.ceil(settingsBytes / 1024)} KiB of labels, variables and commands, and 64 KiB are allowed.`
  if (shortestCheckMs !== null && shortestCheckMs < SHORTEST_CHECK_MS)
    return 'checks its health more than once a second. Give its HEALTHCHECK an interval of at least 1s.'
  if (volumePaths.length > MOST_VOLUMES) return `declares ${volumePaths.length} volumes, and ${MOST_VOLUMES} are allowed.`
  return undefined
}
