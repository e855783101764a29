import type { Handlers } from '../../http/implement.ts'
import type { DiskRoom } from './service.ts'

export function diskHandlers(disk: DiskRoom) {
  return {
    'apps.storage': async ({ app }) => await disk.ofApp(app),
    'disk.usage': async () => await disk.usage(),
    'disk.cleanUp': async ({ caller, input }) => await disk.cleanUp(caller, input.kinds),
  } satisfies Partial<Handlers>
}
