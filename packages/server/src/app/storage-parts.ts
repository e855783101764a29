import type { AppRow } from '../domain/rows.ts'
import { presentApplication } from '../features/apps/store.ts'
import { createMoves } from '../features/moves/service.ts'
import { createFiles } from '../features/storage/files.ts'
import { createVolumeDeletion } from '../features/storage/volumes.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import { createLiveVolumes } from './live-settings.ts'

/** What apps keep, as far as people change it; deployments create volumes and deliver files. */
export function createStorageParts(base: Foundation, { engine }: Pick<EngineParts, 'engine'>) {
  const present = async (app: AppRow) => await presentApplication(base.db, base.config.edge, app)
  return {
    files: createFiles(base),
    deleteVolume: createVolumeDeletion({ ...base, engine, liveVolumes: createLiveVolumes(base) }),
    moves: createMoves({ ...base, engine, present }),
  }
}
