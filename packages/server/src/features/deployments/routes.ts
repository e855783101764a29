import type { Handlers } from '../../http/implement.ts'
import type { Deployments } from './service.ts'
import { presentDeployment } from './store.ts'

export function deploymentHandlers(deployments: Deployments) {
  return {
    'deployments.add': async ({ caller, app }) => await deployments.add(caller, app),
    'deployments.listByApp': async ({ app }) => await deployments.list(app),
    'deployments.log': ({ deployment }) => deployments.log(deployment),
    'deployments.create': async ({ caller, app }) => await deployments.create(caller, app),
    'deployments.list': async ({ app }) => await deployments.list(app),
    'deployments.get': ({ deployment }) => presentDeployment(deployment),
    'deployments.running': async ({ caller }) => await deployments.running(caller),
    'deployments.stop': async ({ caller, deployment }) => await deployments.stop(caller, deployment),
    'deployments.rollback': async ({ caller, app, deployment }) => await deployments.rollback(caller, app, deployment),
  } satisfies Partial<Handlers>
}
