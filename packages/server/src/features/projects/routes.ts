import type { Handlers } from '../../http/implement.ts'
import type { Projects } from './service.ts'

export function projectHandlers(projects: Projects) {
  return {
    'projects.list': async ({ caller }) => await projects.list(caller),
    'projects.create': async ({ caller, input }) => await projects.create(caller, input),
    'projects.get': async ({ project }) => await projects.get(project),
    'projects.update': async ({ caller, project, input }) => await projects.update(caller, project, input),
    'projects.members': async ({ caller, project, input }) => await projects.members(caller, project, input),
    'projects.leave': async ({ caller, project, again }) => await projects.leave(caller, project, again),
    'projects.delete': async ({ caller, project, input }) =>
      await projects.remove(caller, project, { deleteVolumes: input.deleteVolumes ?? false }),
  } satisfies Partial<Handlers>
}
