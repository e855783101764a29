import { createTurns } from '../lib/turns.ts'
import { isConflict, isNotFound } from './api/errors.ts'
import type { ImageDetails, Images } from './images.ts'
import type { PullOptions } from './pull.ts'

/**
 * Pulls an image by its digest, hands it to `use`, and takes the name away again: whoever knows the name of an image on the machine can use
 * it. A name that was there before is somebody else's and stays. One at a time for each image, so that nobody takes the name away from
 * somebody else.
 */
export function createPrivatePull({ images }: { images: Pick<Images, 'pull' | 'inspect' | 'removeUnused'> }) {
  const inTurn = createTurns<string>()

  return async function pullPrivately<Result>(
    byDigest: string,
    options: PullOptions,
    use: (image: ImageDetails) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await inTurn(byDigest, async () => {
      const wasHere = (await images.inspect(byDigest, options.signal)) !== null
      try {
        await images.pull(byDigest, options)
        const image = await images.inspect(byDigest, options.signal)
        return image === null ? undefined : await use(image)
      } finally {
        if (!wasHere) await images.removeUnused(byDigest).catch(unlessGone)
      }
    })
  }
}

export type PullPrivately = ReturnType<typeof createPrivatePull>

/** If a container uses it by this name, somebody else brought it here meanwhile. */
function unlessGone(cause: unknown): void {
  if (!isNotFound(cause) && !isConflict(cause)) throw cause
}
