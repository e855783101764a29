import type { Handlers } from '../../http/implement.ts'
import type { Deployments } from './service.ts'
import { presentDeployment } from './store.ts'
import type { Suggestions } from './suggestions.ts'

export function deploymentHandlers({ deployments, suggestions }: { deployments: Deployments; suggestions: Suggestions }) {
  return {
    'deployments.add': async ({ caller, app, input }) => await deployments.add(caller, app, input),
    'deployments.listByApp': async ({ app }) => await deployments.list(app),
    'deployments.log': ({ deployment }) => deployments.log(deployment),
    'deployments.create': async ({ caller, app, input }) => await deployments.create(caller, app, input),
    'deployments.list': async ({ app }) => await deployments.list(app),
    'deployments.get': async ({ caller, app, deployment }) => ({
      ...presentDeployment(deployment),
      suggestions: await suggestions.list(caller, app, deployment),
    }),
    'deployments.running': async ({ caller }) => await deployments.running(caller),
    'deployments.stop': async ({ caller, deployment }) => await deployments.stop(caller, deployment),
    'deployments.rollback': async ({ caller, app, deployment }) => await deployments.rollback(caller, app, deployment),
    'deployments.applySuggestion': async ({ caller, app, deployment, input }) =>
      await suggestions.apply(caller, app, { deployment, suggestionId: input.suggestionId }),
  } satisfies Partial<Handlers>
}
