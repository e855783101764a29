import { rm } from 'node:fs/promises'
import { kindOf } from '../../../domain/app-kinds.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import type { AppRow } from '../../../domain/rows.ts'
import { isPulled } from '../../../engine/image-names.ts'
import type { Db } from '../../../store/database.ts'
import { forgetArtifact, isImageInUse, releasesBeyond } from '../store.ts'
import { planDirectory } from './compose/plan.ts'

type Deps = { db: Db; removeImage: (tag: string) => Promise<void>; dataDir: string; retention: () => Promise<number> }

/**
 * Keeps the last releases and removes the artifacts of older ones. The row is updated first, so that nobody can roll back to an artifact
 * being removed.
 */
export function createCleanUp({ db, removeImage, dataDir, retention }: Deps) {
  return async function cleanUp(app: Pick<AppRow, 'id' | 'app_type'>): Promise<void> {
    const kept = Math.max(0, (await retention()) - 1) // the live release is one of them
    for (const release of await releasesBeyond(db, app.id, kept)) {
      if (!(await db.transaction(async (tx) => await forgetArtifact(tx, release.id), { mayUseReserve: true }))) continue
      const artifact = artifactOf(release)
      if (artifact?.kind === 'compose') await rm(planDirectory(dataDir, app.id, release.id), { recursive: true, force: true })
      if (kindOf(app).madeFrom === 'template') continue // its image is not ours
      if (artifact?.kind === 'image' && isPulled(artifact.tag)) continue // another app of the project may use it: the sweep for leftovers knows
      if (artifact?.kind === 'image' && !(await isImageInUse(db, artifact.tag))) await removeImage(artifact.tag)
    }
  }
}
