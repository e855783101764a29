import type { ImageUser } from '../../domain/image-user.ts'
import type { Engine } from '../../engine/engine.ts'
import { type ImageParts, imageParts } from '../../engine/image-reference.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import type { Credentials } from './credentials.ts'
import type { PrivateImageNotes } from './private-images.ts'

type Deps = {
  engine: Pick<Engine, 'registry'>
  credentials: Pick<Credentials, 'forHost' | 'isPrivateHost'>
  privateImages: PrivateImageNotes
}

/** Keeps projects from the private images of others that are on the machine. */
export function createImageGuard({ engine, credentials, privateImages }: Deps) {
  /**
   * The engine and its builder do not ask the registry for what they have by its digest, whoever brought it, and under whatever name. The
   * registry of that name may be the caller's own and claim to have anything, so the one that the bytes came from is asked.
   */
  async function refuseBytesOfOthers({ digest }: { digest: string }, user: ImageUser, signal?: AbortSignal): Promise<void> {
    const first = await privateImages.first(digest)
    if (first === undefined || first.projectId === user.projectId) return
    const name = `${first.repository}@${digest}`
    await engine.registry.resolve(name, await credentials.forHost(user, imageParts(name)?.host ?? ''), signal).catch((cause: unknown) => {
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
