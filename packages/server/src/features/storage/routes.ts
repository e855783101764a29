import type { Handlers } from '../../http/implement.ts'
import type { Files } from './files.ts'
import type { VolumeDeletion } from './volumes.ts'

export function storageHandlers({ files, deleteVolume }: { files: Files; deleteVolume: VolumeDeletion }) {
  return {
    'volumes.delete': async ({ caller, app, input, again }) => await deleteVolume({ caller, app, again }, input.volume),
    'files.list': async ({ app }) => await files.list(app),
    'files.read': async ({ app, input }) => await files.read(app, input.path),
    'files.save': async ({ caller, app, input }) => await files.save(caller, app, input),
    'files.delete': async ({ caller, app, input }) => await files.remove(caller, app, input.path),
  } satisfies Partial<Handlers>
}
