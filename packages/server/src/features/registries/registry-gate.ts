import type { ImageUser } from '../../domain/image-user.ts'
import { imageParts, registryAddress } from '../../engine/image-reference.ts'
import { PUBLIC_REGISTRIES, PUBLIC_REGISTRY_NAMES } from '../../engine/public-registries.ts'
import { RegistryError } from '../../engine/registry-failure.ts'

type Deps = {
  /** Whether firewall rules keep the engine's own requests away from this machine and private networks. */
  hasEngineFirewall: () => boolean
  privateHosts: readonly string[]
  isPrivileged: (userId: number | null) => Promise<boolean>
  isAddedByStaff: (host: string) => Promise<boolean>
}

/**
 * A registry says where the engine gets its token, and redirects it, also to addresses inside (decision 8). What it says now it need not
 * say the next time. So where no firewall rules judge the engine's connections, members use only registries that somebody trusts.
 */
export function createRegistryGate({ hasEngineFirewall, privateHosts, isPrivileged, isAddedByStaff }: Deps) {
  async function isOpen(host: string, personId: number | null): Promise<boolean> {
    if (hasEngineFirewall() || PUBLIC_REGISTRIES.has(host)) return true
    if (privateHosts.includes(registryAddress(host)?.host ?? '')) return true
    return (await isPrivileged(personId)) || (await isAddedByStaff(host))
  }

  /** `personId` is who named the registry; nobody for one whose author is gone. */
  async function refuseHost(host: string, personId: number | null): Promise<void> {
    if (await isOpen(host, personId)) return
    throw new RegistryError(
      'unauthorized',
      `The registry ${host.slice(0, 255)} is not allowed here. Nothing limits where the engine of this server connects to when a registry sends it elsewhere, so members only use ${PUBLIC_REGISTRY_NAMES}. An admin can allow this one: by saving credentials for it under Registries, or with BERTH_PRIVATE_SOURCES.`,
    )
  }

  async function refuseImage(image: string, personId: number | null): Promise<void> {
    await refuseHost(imageParts(image)?.host ?? image, personId)
  }

  return { refuseHost, refuseImage, refuseFor: async (host: string, user: ImageUser) => await refuseHost(host, namerOf(user)) }
}

function namerOf({ personId, namedBy = personId }: ImageUser): number | null {
  return namedBy
}

export type RegistryGate = ReturnType<typeof createRegistryGate>
