import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import { imageParts } from '../../../../engine/image-reference.ts'
import { RegistryError } from '../../../../engine/registry-failure.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { PullImage, RefuseImage, RefuseOthersDigest } from '../pull-images.ts'

type Deps = {
  pullImage: PullImage /** The registries that a project has credentials for. */
  hostsOf: (projectId: number) => Promise<readonly string[]>
  refuseOthersDigest: RefuseOthersDigest
  refuseImage: RefuseImage
}

/**
 * Services whose image is at a registry that the project has credentials for. These images get names of the project; all others are used
 * by the name that the compose file has.
 */
export function createPrivateImages({ pullImage, hostsOf, refuseOthersDigest, refuseImage }: Deps) {
  return async function withPrivateImages(context: Context, plan: ComposePlan): Promise<ComposePlan> {
    const { project_id: projectId, source_set_by: namedBy } = context.app
    const hosts = await hostsOf(projectId)
    const isBuilt = (image: string) => plan.builds.some((build) => build.image === image)
    const services: StackService[] = []
    for (const service of plan.services) {
      const host = imageParts(service.image)?.host
      if (!isBuilt(service.image)) await refuseImage(service.image, namedBy).catch(asFailure)
      const isPrivate = host !== undefined && hosts.includes(host) && !isBuilt(service.image)
      if (!isPrivate) await context.ask((signal) => refuseOthersDigest(service.image, projectId, signal)).catch(asFailure)
      const pulled = isPrivate
        ? await pullImage(context, { image: service.image, user: { projectId, personId: null, namedBy } })
        : undefined
      services.push(pulled === undefined ? service : { ...service, image: pulled.tag, shownImage: service.image })
    }
    return { ...plan, services }
  }
}

function asFailure(cause: unknown): never {
  throw cause instanceof RegistryError ? new DeploymentFailure(cause.message, { cause }) : cause
}

export type WithPrivateImages = ReturnType<typeof createPrivateImages>
