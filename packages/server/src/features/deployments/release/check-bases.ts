import { EngineError } from '../../../engine/api/errors.ts'
import type { BaseImages, HeldImage } from '../../../engine/build/base-images.ts'
import { type DockerfileReading, readDockerfile } from '../../../engine/build/dockerfile.ts'
import { type ImageParts, imageParts, parseImageReference } from '../../../engine/image-reference.ts'
import type { ImageDetails } from '../../../engine/images.ts'
import type { PullPrivately } from '../../../engine/private-pull.ts'
import type { RegistryCredentials } from '../../../engine/registry.ts'
import type { InPullPlace } from './pull-places.ts'

type Base = DockerfileReading['bases'][number]
type Deps = { baseImages: BaseImages; pullPrivately: PullPrivately; inPullPlace: InPullPlace; refuse: (message: string) => never }
type Wanted = {
  readonly projectId: number
  readonly platform: string
  readonly signal: AbortSignal
  readonly onActivity?: () => void
  readonly credentials?: readonly RegistryCredentials[]
}

/**
 * Checks the triggers of base images (`ONBUILD`), which are build steps written by the author of the image. The checked images are kept
 * until the returned value is disposed. A name without a slash is a stage, or one of Docker's own images.
 */
export function createCheckBases({ baseImages, pullPrivately, inPullPlace, refuse }: Deps) {
  /** The builder pulls it again, with the same credentials; only a digest says that it then gets what was checked. */
  async function checkPrivate(where: string, parts: ImageParts, wanted: Wanted & { own: RegistryCredentials }): Promise<null> {
    if (parts.digest === '') return refuse(`${where}. ${NEEDED} Add its digest to the name: ${parts.repository}@sha256:…`)
    const { own: credentials, signal, onActivity, platform } = wanted
    const follow = { credentials, signal, onLine: () => undefined, ...(onActivity && { onActivity }) }
    const look = async (image: ImageDetails) => ({ why: objectionTo(image, platform) })
    const seen = await pullPrivately(`${parts.repository}@${parts.digest}`, follow, look).catch(pullRefused(where))
    if (seen === undefined) return refuse(`${where}, which could not be pulled.`)
    return seen.why === null ? null : refuse(`${where}, ${seen.why}`)
  }

  function pullRefused(where: string) {
    return (cause: unknown): never => {
      if (!(cause instanceof EngineError)) throw cause
      return refuse(`${where}, which could not be pulled: ${cause.message}`)
    }
  }

  async function check(base: Base, wanted: Wanted): Promise<HeldImage | null> {
    const where = `Line ${base.line} of the Dockerfile uses ${base.text.slice(0, 200)}`
    const reference = base.image === null ? null : parseImageReference(base.image)
    if (reference === null || base.image === null || base.platform === null)
      return refuse(`${where}, which is not known before the build. ${NEEDED} Write the name of the image without variables.`)
    if (!base.image.includes('/')) return null
    if (base.platform !== '' && base.platform !== wanted.platform)
      return refuse(`${where} for ${base.platform}. ${NEEDED} Leave out --platform.`)
    const parts = imageParts(base.image)
    const own = wanted.credentials?.find(({ host }) => host === parts?.host)
    if (own && parts) return await checkPrivate(where, parts, { ...wanted, own })
    const image = await baseImages.hold(reference.text, wanted).catch(pullRefused(where))
    if (image === null) return refuse(`${where}, which could not be pulled.`)
    const why = objectionTo(image, wanted.platform)
    if (why === null) return image
    await image[Symbol.asyncDispose]()
    return refuse(`${where}, ${why}`)
  }

  async function checkAll(bases: readonly Base[], wanted: Wanted): Promise<AsyncDisposable> {
    await using held = new AsyncDisposableStack()
    for (const base of bases) held.use(await check(base, wanted))
    return held.move()
  }

  return async function checkBases(bases: readonly Base[], wanted: Wanted): Promise<AsyncDisposable> {
    const { projectId, signal, onActivity: active = () => undefined } = wanted
    return await inPullPlace(projectId, { signal, active }, async () => await checkAll(bases, wanted))
  }
}

const NEEDED = 'The engine of this server is so old that Berth must check the image first.'

/** Each is read like a Dockerfile. */
const MOST_TRIGGERS = 200
const LONGEST_TRIGGERS = 64 * 1024

export function objectionTo(image: Pick<HeldImage, 'platform' | 'triggers'>, platform: string): string | null {
  // The builder would ask the registry for one that fits better.
  if (![platform, `${platform}/v8`].includes(image.platform)) return `which is made for ${image.platform}. This server needs ${platform}.`
  if (image.triggers.length > MOST_TRIGGERS || image.triggers.join('').length > LONGEST_TRIGGERS)
    return `which adds more than ${MOST_TRIGGERS} steps or ${LONGEST_TRIGGERS / 1024} KiB of them to every build (ONBUILD). Use another image.`
  const [mount] = image.triggers.flatMap((trigger) => readDockerfile(trigger).cacheSubPaths)
  return mount === undefined
    ? null
    : `which mounts a path within a cache in every build (ONBUILD, ${mount.text.slice(0, 200)}). Use another image, or update the engine to Docker 25.0.2 or newer.`
}
