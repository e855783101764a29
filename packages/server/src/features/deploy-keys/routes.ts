import type { Handlers } from '../../http/implement.ts'
import type { DeployKeys } from './service.ts'

export function deployKeyHandlers(deployKeys: DeployKeys) {
  return {
    'apps.createDeployKey': async ({ caller, app }) => await deployKeys.create(caller, app),
    'apps.deleteDeployKey': async ({ caller, app }) => await deployKeys.remove(caller, app),
    'apps.forgetHostKey': async ({ caller, app }) => await deployKeys.forgetHost(caller, app),
  } satisfies Partial<Handlers>
}
