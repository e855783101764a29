import type { ImageUser } from '../../domain/image-user.ts'
import type { Engine } from '../../engine/engine.ts'
import { isNameOfBuild } from '../../engine/image-names.ts'
import { type ImageParts, imageParts } from '../../engine/image-reference.ts'
import type { ImageDetails } from '../../engine/images.ts'
import { PUBLIC_REGISTRIES } from '../../engine/public-registries.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import type { Credentials } from './credentials.ts'
import type { PrivateImageNotes } from './private-images.ts'

type Deps = {
  engine: Pick<Engine, 'registry'>
  credentials: Pick<Credentials, 'forHost'>
  privateImages: PrivateImageNotes
  instance: string
}

/** An image in the engine, whatever it was asked for as. */
export type ImageHere = Pick<ImageDetails, 'id' | 'tags' | 'owner'>
export type Asking = { readonly user: ImageUser; readonly signal?: AbortSignal | undefined }
type Named = Pick<ImageParts, 'host' | 'repository' | 'digest'>

/** Whether bytes on the machine are those of another project, which this one could not get from a registry itself. */
export function createForeignBytes({ engine, credentials, privateImages, instance }: Deps) {
  async function ask(name: string, { user, signal }: Asking): Promise<void> {
    await engine.registry.resolve(name, await credentials.forHost(user, imageParts(name)?.host ?? ''), signal)
  }

  async function askEach(names: readonly string[], shown: string, asking: Asking): Promise<void> {
    for (const name of new Set(names))
      await ask(name, asking).catch((cause: unknown) => {
        if (!(cause instanceof RegistryError)) throw cause
        throw noAccess(shown, cause)
      })
  }

  /**
   * A public registry only says that it has an image if it has all of it, and it was asked with what the project may use, so that it gets
   * nothing which it could not get there.
   */
  async function isAtPublicRegistry({ host, repository, digest }: Named, asking: Asking): Promise<boolean> {
    if (!PUBLIC_REGISTRIES.has(host)) return false
    return await ask(`${repository}@${digest}`, asking).then(
      () => true,
      (cause: unknown) => {
        if (cause instanceof RegistryError) return false
        throw cause
      },
    )
  }

  async function notesOfOthers(digest: string, { user }: Asking) {
    return (await privateImages.of(digest)).filter(({ projectId }) => projectId !== user.projectId)
  }

  /**
   * The engine and its builder do not ask the registry for what they have by its digest, whoever brought it, and under whatever name. The
   * registry of that name may be the caller's own and claim to have anything, so those that other projects got it from are asked: all of
   * them, because one may have claimed it before its owner came. A public registry is believed, or whoever claims a public image first
   * would keep it from all others.
   */
  async function refuseDigest(named: Named, asking: Asking): Promise<void> {
    const { digest } = named
    const others = await notesOfOthers(digest, asking)
    if (others.length === 0 || (await isAtPublicRegistry(named, asking))) return
    const names = others.map(({ repository }) => `${repository}@${digest}`)
    await askEach(names, digest, asking)
  }

  /**
   * A manifest names an image by its id, and the engine fetches nothing of one that it has by this id, even if it was built here. The registry
   * of that manifest may be the caller's own, and need not have the image. One that gave it to the other project too decides by itself.
   */
  async function refuseImage(image: ImageHere, { host }: Pick<Named, 'host'>, asking: Asking): Promise<void> {
    if (PUBLIC_REGISTRIES.has(host)) return
    const { id, owner, tags } = image
    const isOwn = owner.instance === instance && owner.projectId === asking.user.projectId
    if (tags.some(isNameOfBuild) && !isOwn) throw noAccess(id)
    const names = (await notesOfOthers(id, asking)).map(({ repository }) => repository)
    const elsewhere = names.filter((name) => imageParts(name)?.host !== host)
    await askEach(elsewhere, id, asking)
  }

  return { refuseDigest, refuseImage }
}

/** Without the words of the registry, which name an image of somebody else. */
function noAccess(shown: string, cause?: RegistryError): RegistryError {
  return new RegistryError(
    cause?.kind ?? 'unauthorized',
    `This project has no access to the image with the digest ${shown}. Save credentials for the registry it comes from under Registries.`,
    { cause },
  )
}
