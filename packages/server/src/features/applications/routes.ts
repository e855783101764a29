import type { Handlers } from '../../http/implement.ts'
import type { Applications } from './service.ts'

export function applicationHandlers(applications: Applications) {
  return {
    'apps.create': async ({ caller, project, input }) => await applications.create(caller, project, input),
    'apps.list': async ({ project }) => await applications.list(project.id),
    'apps.listAll': async ({ caller }) => await applications.listAll(caller),
    'apps.get': async ({ app }) => await applications.get(app),
    'apps.update': async ({ caller, app, input }) => await applications.update(caller, app, input),
    'apps.delete': async ({ caller, app, input }) =>
      await applications.remove(caller, app, { deleteVolumes: input.deleteVolumes ?? false }),
    'apps.transfer': async ({ caller, app, input }) => await applications.transfer(caller, app, input.userId),
    'apps.connection': async ({ app }) => await applications.connection(app),
    'apps.checkSource': async ({ caller, input }) =>
      await applications.checkSource(caller, { cloneUrl: input.gitCloneUrl, branch: input.gitBranch ?? '' }),
  } satisfies Partial<Handlers>
}
