import type { ImageUser } from '../../domain/image-user.ts'
import type { Engine } from '../../engine/engine.ts'
import { type ImageParts, imageParts } from '../../engine/image-reference.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import type { Credentials } from './credentials.ts'
import { type Asking, createForeignBytes, type ImageHere } from './foreign-bytes.ts'
import type { PrivateImageNotes } from './private-images.ts'

type Deps = {
  engine: Pick<Engine, 'registry'>
  credentials: Pick<Credentials, 'forHost' | 'isPrivateHost'>
  privateImages: PrivateImageNotes
  instance: string
}

/** Keeps projects from the private images of others that are on the machine. */
export function createImageGuard(deps: Deps) {
  const { engine, credentials, privateImages } = deps
  const foreign = createForeignBytes(deps)

  async function noteIfPrivate({ repository, digest, host }: ImageParts, user: ImageUser): Promise<void> {
    if ((await credentials.forHost(user, host)) === undefined) return
    await privateImages.note({ repository, digest, projectId: user.projectId })
  }

  /** Once the engine has it: until then its registry may only claim to have it. */
  async function admit(image: ImageHere, found: ImageParts, asking: Asking): Promise<void> {
    await foreign.refuseImage(image, found, asking)
    await noteIfPrivate(found, asking.user)
    // by its id a registry is not asked for it, so this note has the whole name
    await noteIfPrivate({ ...found, digest: image.id, repository: `${found.repository}@${found.digest}` }, asking.user)
  }

  /** For what a repository names. Throws a RegistryError where it has a digest that the project may not see. */
  async function refuseOthersDigest(image: string, projectId: number, signal: AbortSignal): Promise<void> {
    const parts = imageParts(image)
    if (parts === null) return
    const user: ImageUser = { projectId, personId: null }
    if (parts.digest === '') return await noteTag(image, user, signal)
    if (await credentials.isPrivateHost(parts.host))
      await engine.registry.resolve(image, await credentials.forHost(user, parts.host), signal)
    await foreign.refuseDigest(parts, { user, signal })
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

  /** The image that a service of a compose file got by its name. */
  async function refuseOthersImage(image: ImageHere, name: string, asking: { projectId: number; signal: AbortSignal }): Promise<void> {
    const parts = imageParts(name)
    const user: ImageUser = { projectId: asking.projectId, personId: null }
    if (parts !== null) await foreign.refuseImage(image, parts, { user, signal: asking.signal })
  }

  return { refuseBytesOfOthers: foreign.refuseDigest, admit, refuseOthersDigest, refuseOthersImage }
}
