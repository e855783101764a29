import type { Handlers } from '../../http/implement.ts'
import type { DeployByHook } from './deploy.ts'
import type { DeployHooks } from './service.ts'

export function deployHookHandlers({ deployHooks, deployByHook }: { deployHooks: DeployHooks; deployByHook: DeployByHook }) {
  return {
    'apps.rotateHook': async ({ caller, app }) => await deployHooks.rotate(caller, app),
    'apps.deleteHook': async ({ caller, app }) => await deployHooks.remove(caller, app),
    'deployments.addByHook': async ({ app, input, origin }) => await deployByHook(app, input, origin),
  } satisfies Partial<Handlers>
}
