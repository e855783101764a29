import { canonicalImageName } from '../image-reference.ts'
import type { ImageDetails, Images } from '../images.ts'

type HoldOptions = { readonly signal: AbortSignal; readonly onActivity?: () => void }
export type HeldImage = ImageDetails & AsyncDisposable

/**
 * Base images, pulled before the build so that they can be inspected. The builder prefers local images to those of the registry, so it
 * uses what was inspected. They are removed after the last build that uses them, so that the next build gets a new version.
 */
export function createBaseImages({ images }: { images: Pick<Images, 'inspect' | 'pull' | 'removeUnused'> }) {
  const users = new Map<string, number>()
  const brought = new Set<string>()
  const leaving = new Map<string, Promise<void>>()

  async function hold(text: string, options: HoldOptions): Promise<HeldImage | null> {
    const reference = canonicalImageName(text) // a second spelling would be removed while the first is still in use
    while (leaving.has(reference)) await leaving.get(reference)
    users.set(reference, (users.get(reference) ?? 0) + 1)
    try {
      const image = await find(reference, options)
      if (image !== null) return { ...image, [Symbol.asyncDispose]: async () => await release(reference) }
    } catch (cause) {
      await release(reference)
      throw cause
    }
    await release(reference)
    return null
  }

  async function find(reference: string, { signal, onActivity }: HoldOptions): Promise<ImageDetails | null> {
    const found = await images.inspect(reference, signal)
    if (found !== null) return found
    brought.add(reference) // even if the pull is aborted: the image may have arrived
    await images.pull(reference, { signal, onLine: () => undefined, ...(onActivity && { onActivity }) })
    return await images.inspect(reference, signal)
  }

  async function release(reference: string): Promise<void> {
    const left = (users.get(reference) ?? 1) - 1
    if (left > 0) return void users.set(reference, left)
    users.delete(reference)
    if (!brought.delete(reference)) return
    // If a container uses the image by now, the engine refuses and it stays.
    const removal = images.removeUnused(reference).catch(() => undefined)
    leaving.set(reference, removal)
    await removal
    leaving.delete(reference)
  }

  return { hold }
}

export type BaseImages = ReturnType<typeof createBaseImages>
