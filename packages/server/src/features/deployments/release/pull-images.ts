import type { ImageUser } from '../../../domain/image-user.ts'
import { EngineError } from '../../../engine/api/errors.ts'
import type { Engine } from '../../../engine/engine.ts'
import { pulledImageName } from '../../../engine/image-names.ts'
import type { ImageDetails } from '../../../engine/images.ts'
import type { RegistryCredentials, ResolvedImage } from '../../../engine/registry.ts'
import { RegistryError, registryFailure } from '../../../engine/registry-failure.ts'
import type { InTurn } from '../../../lib/turns.ts'
import { type Context, DeploymentFailure } from '../run/stage.ts'
import { imageProblem } from './compose/images.ts'
import type { InPullPlace } from './pull-places.ts'

type Deps = {
  engine: Pick<Engine, 'images' | 'pullPrivately'>
  resolve: (image: string, user: ImageUser, signal: AbortSignal) => Promise<ResolvedImage>
  /** Throws a RegistryError if another project's image has these bytes, and its registry does not give them to this one. */
  admit: (image: ImageDetails, found: ResolvedImage, asking: { user: ImageUser; signal: AbortSignal }) => Promise<void>
  credentialsFor: (user: ImageUser, host: string) => Promise<RegistryCredentials | undefined>
  inPullPlace: InPullPlace
  instance: string
  /** One at a time for each name of a pulled image: the sweep for leftovers must not remove what is being looked at. */
  inImageTurn: InTurn<string>
  /** The same for the same text; nobody else can compute it. */
  nameOf: (text: string) => string
}

/** Throws a RegistryError where the name has a digest that the project may not see. */
export type RefuseOthersDigest = (image: string, projectId: number, signal: AbortSignal) => Promise<void>

/** Throws a RegistryError where the image of that name is somebody else's. */
export type RefuseOthersImage = (image: ImageDetails, name: string, asking: { projectId: number; signal: AbortSignal }) => Promise<void>

/** Throws a RegistryError where the person who named the image may not use its registry. */
export type RefuseImage = (image: string, personId: number | null) => Promise<void>

/** An image by the very bytes. `ref` is for people, with the tag that was asked for. */
export type PulledImage = { readonly tag: string; readonly ref: string; readonly digest: string }
type Wanted = { readonly image: string; readonly user: ImageUser; readonly onResolved?: (ref: string, digest: string) => Promise<void> }

/**
 * Pulls an image for a project. The registry is asked with the project's own credentials each time, whatever lies on the machine, and the
 * image gets a name of the project that nobody can guess. The name it came with is taken away: whoever knew it could use the image.
 */
export function createPullImages(deps: Deps) {
  const { engine, instance, nameOf } = deps

  async function bring(context: Context, found: ResolvedImage, user: ImageUser): Promise<void> {
    const byDigest = byDigestOf(found)
    const credentials = await deps.credentialsFor(user, found.host)
    context.say(`Pulling ${byDigest}`)
    const follow = { credentials, onLine: (line: string) => context.output(line, 'stdout'), onActivity: context.active }
    const pull = async (signal: AbortSignal) => {
      const keep = async (image: ImageDetails) => {
        const why = imageProblem(image)
        if (why !== undefined) throw new DeploymentFailure(`The image cannot be started: it ${why}`)
        await deps.admit(image, found, { user, signal })
        await engine.images.tag(image.id, tagOf(found, user), signal)
        return true
      }
      return await engine.pullPrivately(byDigest, { ...follow, signal }, keep).catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause
        throw registryFailure(cause, { host: found.host, image: byDigest, hasCredentials: credentials !== undefined })
      })
    }
    const named = await deps.inPullPlace(context.app.project_id, context, () => context.effect('engine.pull', pull))
    if (named === undefined) throw new DeploymentFailure(`The image ${byDigest} was removed while it was pulled. Deploy again.`)
  }

  function tagOf(found: ResolvedImage, { projectId }: ImageUser): string {
    return pulledImageName({ instance, projectId, secret: nameOf(`image ${projectId} ${byDigestOf(found)}`) })
  }

  return async function pullImage(context: Context, { image, user, onResolved }: Wanted): Promise<PulledImage> {
    try {
      const found = await context.ask((signal) => deps.resolve(image, user, signal))
      const ref = `${found.repository}${found.tag === '' ? '' : `:${found.tag}`}@${found.digest}`
      await onResolved?.(ref, found.digest)
      const tag = tagOf(found, user)
      await deps.inImageTurn(tag, async () => {
        const here = await context.ask((signal) => engine.images.inspect(tag, signal))
        if (here === null) return await bring(context, found, user)
        await context.ask((signal) => deps.admit(here, found, { user, signal }))
        context.say(`Using ${ref}, which was pulled before`)
      })
      return { tag, ref, digest: found.digest }
    } catch (cause) {
      if (!(cause instanceof RegistryError)) throw cause
      throw new DeploymentFailure(cause.message, { ...(cause.isTransient && { facts: { kind: 'passing' } }), cause })
    }
  }
}

export type PullImage = ReturnType<typeof createPullImages>

function byDigestOf({ repository, digest }: ResolvedImage): string {
  return `${repository}@${digest}`
}
