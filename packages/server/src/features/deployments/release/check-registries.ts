import { SpecRefused } from '../../../engine/api/errors.ts'
import type { DockerfileReading } from '../../../engine/build/dockerfile.ts'
import { RegistryError } from '../../../engine/registry-failure.ts'
import type { RefuseImage } from './pull-images.ts'

/**
 * Refuses what a Dockerfile takes from registries that its author may not use. Base images count as they are after the variables. A name
 * without a slash is a stage, or one of Docker's own images; one that only the builder can work out is at no registry that anybody allowed.
 */
export async function refuseRegistries(
  { bases, fetches }: Pick<DockerfileReading, 'bases' | 'fetches'>,
  { refuseImage, setBy }: { refuseImage: RefuseImage; setBy: number | null },
): Promise<void> {
  const lines = new Set(bases.map(({ line }) => line))
  const copied = fetches.filter(({ kind, line }) => kind === 'image' && !lines.has(line))
  for (const { line, text, image } of [...bases, ...copied.map((fetch) => ({ ...fetch, image: fetch.text }))]) {
    const isKnown = image !== null && !image.includes('$')
    if (isKnown && !image.includes('/')) continue
    await refuseImage(image ?? text, setBy).catch((cause: unknown) => {
      if (!(cause instanceof RegistryError)) throw cause
      const hint = isKnown ? '' : ' Write the name of the image without variables.'
      throw new SpecRefused('Dockerfile', `Line ${line} of the Dockerfile uses ${text.slice(0, 200)}. ${cause.message}${hint}`)
    })
  }
}
