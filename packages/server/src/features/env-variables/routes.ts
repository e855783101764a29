import type { Handlers } from '../../http/implement.ts'
import type { EnvVariables } from './service.ts'

export function envVariableHandlers(envs: EnvVariables) {
  return {
    'envs.create': async ({ caller, app, input }) => await envs.create(caller, app, input),
    'envs.list': async ({ app }) => await envs.list(app),
    'envs.changes': async ({ app }) => await envs.changes(app),
    'envs.replace': async ({ caller, app, input }) => await envs.replace(caller, app, input.variables),
    'envs.update': async ({ caller, app, envVariable, input }) => await envs.update(caller, app, envVariable, input),
    'envs.delete': async ({ caller, app, envVariable }) => await envs.remove(caller, app, envVariable),
  } satisfies Partial<Handlers>
}
