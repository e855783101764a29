import { EngineError } from '../../../engine/api/errors.ts'
import type { BaseImages, HeldImage } from '../../../engine/build/base-images.ts'
import { type DockerfileReading, readDockerfile } from '../../../engine/build/dockerfile.ts'
import { parseImageReference } from '../../../engine/image-reference.ts'

type Base = DockerfileReading['bases'][number]
type Deps = { baseImages: BaseImages; refuse: (message: string) => never }
type Wanted = { readonly platform: string; readonly signal: AbortSignal; readonly onActivity?: () => void }

/**
 * Checks the triggers of base images (`ONBUILD`), which are build steps written by the author of the image. The checked images are kept
 * until the returned value is disposed. A name without a slash is a stage, or one of Docker's own images.
 */
export function createCheckBases({ baseImages, refuse }: Deps) {
  async function check(base: Base, wanted: Wanted): Promise<HeldImage | null> {
    const where = `Line ${base.line} of the Dockerfile uses ${base.text.slice(0, 200)}`
    const reference = base.image === null ? null : parseImageReference(base.image)
    if (reference === null || base.image === null || base.platform === null)
      return refuse(`${where}, which is not known before the build. ${NEEDED} Write the name of the image without variables.`)
    if (!base.image.includes('/')) return null
    if (base.platform !== '' && base.platform !== wanted.platform)
      return refuse(`${where} for ${base.platform}. ${NEEDED} Leave out --platform.`)
    const image = await baseImages.hold(reference.text, wanted).catch((cause: unknown) => {
      if (!(cause instanceof EngineError)) throw cause
      return refuse(`${where}, which could not be pulled: ${cause.message}`)
    })
    if (image === null) return refuse(`${where}, which could not be pulled.`)
    const why = objectionTo(image, wanted.platform)
    if (why === null) return image
    await image[Symbol.asyncDispose]()
    return refuse(`${where}, ${why}`)
  }

  return async function checkBases(bases: readonly Base[], wanted: Wanted): Promise<AsyncDisposable> {
    await using held = new AsyncDisposableStack()
    for (const base of bases) held.use(await check(base, wanted))
    return held.move()
  }
}

const NEEDED = 'The engine of this server is so old that Berth must check the image first.'

function objectionTo(image: HeldImage, platform: string): string | null {
  // The builder would ask the registry for one that fits better.
  if (![platform, `${platform}/v8`].includes(image.platform)) return `which is made for ${image.platform}. This server needs ${platform}.`
  const [mount] = image.triggers.flatMap((trigger) => readDockerfile(trigger).cacheSubPaths)
  return mount === undefined
    ? null
    : `which mounts a path within a cache in every build (ONBUILD, ${mount.text.slice(0, 200)}). Use another image, or update the engine to Docker 25.0.2 or newer.`
}
