import type { Handlers } from '../../http/implement.ts'
import type { ImageChecks } from './image-checks.ts'
import type { Registries } from './service.ts'

export function registryHandlers({ registries, imageChecks }: { registries: Registries; imageChecks: ImageChecks }) {
  return {
    'registries.list': async ({ caller }) => await registries.list(caller),
    'registries.create': async ({ caller, input, again }) => await registries.create(caller, input, again),
    'registries.check': async ({ caller, registry }) => await registries.check(caller, registry),
    'registries.delete': async ({ caller, registry }) => await registries.remove(caller, registry),
    'apps.lookAtImage': async ({ caller, project, input }) =>
      await imageChecks.look(caller, { projectId: project.id, image: input.image.trim() }),
    'apps.checkImage': async ({ caller, app }) => await imageChecks.check(caller, app),
  } satisfies Partial<Handlers>
}
