import type { Handlers } from '../../http/implement.ts'
import type { AppDeletion } from './deletion.ts'
import type { PlanBuild } from './plan-build.ts'
import type { AppReading } from './reading.ts'
import type { Applications } from './service.ts'

function placeOf(input: { projectId: number; gitCloneUrl: string; gitBranch?: string; gitProviderId?: number | null }) {
  const { projectId, gitCloneUrl: cloneUrl, gitBranch: branch = '' } = input
  return { projectId, cloneUrl, branch, accountId: input.gitProviderId ?? undefined }
}

type Parts = { applications: Applications; reading: AppReading; deletion: AppDeletion; planBuild: PlanBuild }

export function applicationHandlers(parts: Parts) {
  const { applications, reading, deletion, planBuild } = parts
  return {
    'apps.create': async ({ caller, project, input, again }) => await applications.create({ caller, project, again }, input),
    'apps.list': async ({ project }) => await reading.list(project.id),
    'apps.listAll': async ({ caller }) => await reading.listAll(caller),
    'apps.get': async ({ app }) => await reading.get(app),
    'apps.update': async ({ caller, app, input, again }) => await applications.update({ caller, app, again }, input),
    'apps.delete': async ({ caller, app, input }) => await deletion.remove(caller, app, { deleteVolumes: input.deleteVolumes ?? false }),
    'apps.transfer': async ({ caller, app, input }) => await applications.transfer(caller, app, input.userId),
    'apps.connection': async ({ caller, app }) => await reading.connection(caller, app),
    'apps.checkSource': async ({ caller, input }) => await reading.checkSource(caller, placeOf(input)),
    'apps.checkSourceFiles': async ({ caller, input }) =>
      await reading.checkSourceFiles(caller, {
        ...placeOf(input),
        rootDirectory: input.rootDirectory ?? '',
        dockerfilePath: input.dockerfilePath ?? '',
      }),
    'builds.plan': async ({ caller, app }) => await planBuild.ofApp(caller, app),
    'builds.planNew': async ({ caller, project, input }) => await planBuild.ofNew(caller, project.id, input),
  } satisfies Partial<Handlers>
}
