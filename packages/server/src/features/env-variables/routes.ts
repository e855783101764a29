import type { Handlers } from '../../http/implement.ts'
import type { ChangesSince } from './changes-since.ts'
import type { ProjectVariables } from './project-variables.ts'
import type { EnvVariables } from './service.ts'

type Deps = { envs: EnvVariables; ofProject: ProjectVariables; changesSince: ChangesSince }

export function envVariableHandlers({ envs, ofProject, changesSince }: Deps) {
  return {
    'envs.create': async ({ caller, app, input }) => await envs.create(caller, app, input),
    'envs.list': async ({ app }) => await envs.list(app),
    'envs.changes': async ({ caller, app }) => await changesSince(caller, app),
    'envs.replace': async ({ caller, app, input }) => await envs.replace(caller, app, input.variables),
    'envs.update': async ({ caller, app, envVariable, input }) => await envs.update(caller, app, envVariable, input),
    'envs.delete': async ({ caller, app, envVariable }) => await envs.remove(caller, app, envVariable),
    'projectEnvs.list': async ({ project }) => await ofProject.list(project),
    'projectEnvs.replace': async ({ caller, project, input }) => await ofProject.replace(caller, project, input.variables),
  } satisfies Partial<Handlers>
}
