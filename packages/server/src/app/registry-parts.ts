import { createIsPrivileged } from '../features/deployments/request/is-privileged.ts'
import { createCredentials } from '../features/registries/credentials.ts'
import { createImageChecks } from '../features/registries/image-checks.ts'
import { createPrivateImageNotes } from '../features/registries/private-images.ts'
import { createRegistryGate } from '../features/registries/registry-gate.ts'
import { createRegistries } from '../features/registries/service.ts'
import { isAddedByStaff } from '../features/registries/store.ts'
import { createRegistryVisits } from '../features/registries/visits.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

/** Image registries: their credentials, and what they are asked. */
export function createRegistryParts({ config, db, secrets, now, instance }: Foundation, { engine, policy, firewalls }: EngineParts) {
  const credentials = createCredentials({ db, secrets })
  const limiter = createLimiter({ running: 8, runningPerKey: 4, waiting: 64, waitingPerKey: 8, waitMs: 20_000 })
  const gate = createRegistryGate({
    hasEngineFirewall: firewalls.hasEngineFirewall,
    privateHosts: config.privateSources,
    isPrivileged: createIsPrivileged(db),
    isAddedByStaff: async (host) => await isAddedByStaff(db, host),
  })
  const privateImages = createPrivateImageNotes({ db })
  const visits = createRegistryVisits({ engine, policy, credentials, gate, limiter, privateImages, instance })
  return {
    credentials,
    visits,
    gate,
    hostsOf: async (projectId: number) => (await credentials.ofProject(projectId)).map(({ host }) => host),
    registries: createRegistries({ db, secrets, visits, now }),
    imageChecks: createImageChecks({ db, visits }),
  }
}

export type RegistryParts = ReturnType<typeof createRegistryParts>
