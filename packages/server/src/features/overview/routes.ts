import type { Health } from '@berth/contract'
import type { Handlers } from '../../http/implement.ts'
import type { Deployments } from '../deployments/service.ts'
import type { Domains } from '../domains/service.ts'

type Sources = { deployments: Pick<Deployments, 'newest' | 'running'>; domains: Pick<Domains, 'troubled'>; health: () => Promise<Health> }

/** One response for a page with all apps, so that the number of requests does not grow with them. */
export function overviewHandlers({ deployments, domains, health }: Sources) {
  return {
    'overview.get': async ({ caller }) => ({
      newestDeployments: await deployments.newest(caller),
      running: await deployments.running(caller),
      troubledDomains: await domains.troubled(caller),
      health: await health(),
    }),
  } satisfies Partial<Handlers>
}
