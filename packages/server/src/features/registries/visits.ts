import type { ImageUser } from '../../domain/image-user.ts'
import { EngineUnreachable } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { imageParts, registryAddress } from '../../engine/image-reference.ts'
import type { RegistryCredentials, ResolvedImage } from '../../engine/registry.ts'
import { platformProblem, RegistryError } from '../../engine/registry-failure.ts'
import { SourceRefused } from '../../git/errors.ts'
import type { SourcePolicy } from '../../git/source-policy.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import type { Limiter } from '../../lib/limiter.ts'
import type { Credentials } from './credentials.ts'
import { createImageGuard } from './image-guard.ts'
import type { PrivateImageNotes } from './private-images.ts'
import type { RegistryGate } from './registry-gate.ts'

type Deps = {
  engine: Pick<Engine, 'registry' | 'facts'>
  policy: Pick<SourcePolicy, 'admitHost'>
  credentials: Pick<Credentials, 'forHost' | 'isPrivateHost'>
  gate: Pick<RegistryGate, 'refuseHost' | 'refuseFor'>
  limiter: Limiter
  privateImages: PrivateImageNotes
  instance: string
}
type Person = { readonly id: number }

const BUSY = 'Too many registries are being checked. Try again in a few seconds.'

/** Asks registries, at addresses that the policy of sources allows. */
export function createRegistryVisits({ engine, policy, credentials, gate, limiter, privateImages, instance }: Deps) {
  const guard = createImageGuard({ engine, credentials, privateImages, instance })

  async function admit(host: string, signal?: AbortSignal): Promise<void> {
    const address = registryAddress(host)
    if (address === null) return
    await policy.admitHost(address, { what: `The registry ${host}`, ...(signal && { signal }) }).catch((cause: unknown) => {
      if (cause instanceof SourceRefused) throw new RegistryError('unauthorized', cause.message, { cause })
      signal?.throwIfAborted() // a name that does not resolve is reported by the engine
    })
  }

  /** What the image is at now, with the credentials of those who use it, and whether this machine can run it. */
  async function resolve(image: string, user: ImageUser, signal?: AbortSignal): Promise<ResolvedImage> {
    const parts = imageParts(image)
    if (parts === null)
      throw new RegistryError('missing', `${image} is not an image name. Use one such as nginx:1.27 or ghcr.io/owner/name:tag.`)
    await gate.refuseFor(parts.host, user)
    await admit(parts.host, signal)
    const found = await engine.registry.resolve(image, await credentials.forHost(user, parts.host), signal)
    const problem = platformProblem(image, found.platforms, (await engine.facts(signal)).platform)
    if (problem) throw problem
    return found
  }

  /** As `resolve`, for a deployment, which then uses these bytes. */
  async function resolveToUse(image: string, user: ImageUser, signal?: AbortSignal): Promise<ResolvedImage> {
    const found = await resolve(image, user, signal)
    await guard.refuseBytesOfOthers(found, { user, signal })
    return found
  }

  return {
    resolve: resolveToUse,
    admit: guard.admit,
    refuseOthersDigest: guard.refuseOthersDigest,
    refuseOthersImage: guard.refuseOthersImage,
    resolveFor: async (person: Person, image: string, user: ImageUser) =>
      await limited(limiter, person, BUSY, async () => await resolve(image, user)),
    login: async (person: Person, given: RegistryCredentials) =>
      await limited(limiter, person, BUSY, async () => {
        await gate.refuseHost(given.host, person.id)
        await admit(given.host)
        await engine.registry.login(given)
      }),
  }
}

export type RegistryVisits = ReturnType<typeof createRegistryVisits>

/** A failure of a registry as the answer to a request about `field`. */
export function asAppError(cause: unknown, field: string): unknown {
  if (cause instanceof EngineUnreachable) return new AppError('engine_unreachable', { cause })
  if (!(cause instanceof RegistryError)) return cause
  if (cause.isTransient) return new AppError('registry_unavailable', { message: cause.message, cause })
  if (cause.kind === 'missing') return fieldError('invalid_source', field, cause.message)
  return fieldError('registry_refused', field, cause.message)
}
