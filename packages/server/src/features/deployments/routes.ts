import type { Handlers } from '../../http/implement.ts'
import type { Suggestions } from './failure/apply-suggestions.ts'
import type { CompareDeployments } from './history/compare.ts'
import type { Deployments } from './service.ts'

type Parts = { deployments: Deployments; suggestions: Suggestions; compareDeployments: CompareDeployments }

export function deploymentHandlers({ deployments, suggestions, compareDeployments }: Parts) {
  return {
    'deployments.add': async ({ caller, app, input, again }) => await deployments.add({ caller, app, again }, input),
    'deployments.listByApp': async ({ input }) => await deployments.list(input),
    'deployments.log': ({ deployment }) => deployments.log(deployment),
    'deployments.create': async ({ caller, app, input, again }) => await deployments.create({ caller, app, again }, input),
    'deployments.list': async ({ input }) => await deployments.list(input),
    'deployments.get': async ({ caller, app, deployment }) => ({
      ...(await deployments.get(deployment)),
      suggestions: await suggestions.list(caller, app, deployment),
    }),
    'deployments.compare': async ({ deployment, input }) => await compareDeployments(deployment, input.withId),
    'deployments.plan': async ({ deployment }) => await deployments.plan(deployment),
    'deployments.running': async ({ caller }) => await deployments.running(caller),
    'deployments.stop': async ({ caller, deployment }) => await deployments.stop(caller, deployment),
    'deployments.rollback': async ({ caller, app, deployment }) => await deployments.rollback(caller, app, deployment),
    'deployments.applySuggestion': async ({ caller, app, deployment, input, again }) =>
      await suggestions.apply({ caller, app, again }, { deployment, suggestionId: input.suggestionId }),
  } satisfies Partial<Handlers>
}
