import type { ImageUser } from '../../domain/image-user.ts'
import type { Engine } from '../../engine/engine.ts'
import { type ImageParts, imageParts } from '../../engine/image-reference.ts'
import { PUBLIC_REGISTRIES } from '../../engine/public-registries.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import type { Credentials } from './credentials.ts'
import type { PrivateImageNotes } from './private-images.ts'

type Deps = {
  engine: Pick<Engine, 'registry'>
  credentials: Pick<Credentials, 'forHost' | 'isPrivateHost'>
  privateImages: PrivateImageNotes
}

type Named = Pick<ImageParts, 'host' | 'repository' | 'digest'>

/** Keeps projects from the private images of others that are on the machine. */
export function createImageGuard({ engine, credentials, privateImages }: Deps) {
  async function ask(name: string, user: ImageUser, signal: AbortSignal | undefined): Promise<void> {
    await engine.registry.resolve(name, await credentials.forHost(user, imageParts(name)?.host ?? ''), signal)
  }

  /**
   * A public registry only says that it has an image if it has all of it, and it was asked with what the project may use, so that it gets
   * nothing which it could not get there.
   */
  async function isAtPublicRegistry({ host, repository, digest }: Named, user: ImageUser, signal?: AbortSignal): Promise<boolean> {
    if (!PUBLIC_REGISTRIES.has(host)) return false
    return await ask(`${repository}@${digest}`, user, signal).then(
      () => true,
      (cause: unknown) => {
        if (cause instanceof RegistryError) return false
        throw cause
      },
    )
  }

  /**
   * The engine and its builder do not ask the registry for what they have by its digest, whoever brought it, and under whatever name. The
   * registry of that name may be the caller's own and claim to have anything, so those that other projects got it from are asked: all of
   * them, because one may have claimed it before its owner came. A public registry is believed, or whoever claims a public image first
   * would keep it from all others.
   */
  async function refuseBytesOfOthers(named: Named, user: ImageUser, signal?: AbortSignal): Promise<void> {
    const { digest } = named
    const others = (await privateImages.of(digest)).filter(({ projectId }) => projectId !== user.projectId)
    if (others.length === 0 || (await isAtPublicRegistry(named, user, signal))) return
    for (const repository of new Set(others.map((other) => other.repository)))
      await ask(`${repository}@${digest}`, user, signal).catch((cause: unknown) => {
        if (!(cause instanceof RegistryError)) throw cause
        // without the words of the registry, which name an image of somebody else
        throw new RegistryError(
          cause.kind,
          `This project has no access to the image with the digest ${digest}. Save credentials for the registry it comes from under Registries.`,
          { cause },
        )
      })
  }

  async function noteIfPrivate({ repository, digest, host }: ImageParts, user: ImageUser): Promise<void> {
    if ((await credentials.forHost(user, host)) === undefined) return
    await privateImages.note({ repository, digest, projectId: user.projectId })
  }

  /** For what a repository names. Throws a RegistryError where it has a digest that the project may not see. */
  async function refuseOthersDigest(image: string, projectId: number, signal: AbortSignal): Promise<void> {
    const parts = imageParts(image)
    if (parts === null) return
    const user: ImageUser = { projectId, personId: null }
    if (parts.digest === '') return await noteTag(image, user, signal)
    if (await credentials.isPrivateHost(parts.host))
      await engine.registry.resolve(image, await credentials.forHost(user, parts.host), signal)
    await refuseBytesOfOthers(parts, user, signal)
    await noteIfPrivate(parts, user)
  }

  /** The builder gets it with the project's credentials. If the registry does not give it, the build says so; a name without a slash may be a stage. */
  async function noteTag(image: string, user: ImageUser, signal: AbortSignal): Promise<void> {
    const own = await credentials.forHost(user, imageParts(image)?.host ?? '')
    if (own === undefined || !image.includes('/')) return
    const found = await engine.registry.resolve(image, own, signal).catch((cause: unknown) => {
      if (!(cause instanceof RegistryError)) throw cause
    })
    if (found !== undefined) await noteIfPrivate(found, user)
  }

  return { refuseBytesOfOthers, noteIfPrivate, refuseOthersDigest }
}
