import type { ImageCheck, ImageLook } from '@berth/contract'
import { deploysImage } from '../../domain/app-kinds.ts'
import type { Caller } from '../../domain/caller.ts'
import { imageUserOf } from '../../domain/image-user.ts'
import type { AppRow } from '../../domain/rows.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { Reader } from '../../store/database.ts'
import { liveImage } from './store.ts'
import { asAppError, type RegistryVisits } from './visits.ts'

/** What registries have, beside what runs. */
export function createImageChecks({ db, visits }: { db: Reader; visits: Pick<RegistryVisits, 'resolveFor'> }) {
  async function check(caller: Caller, app: AppRow): Promise<ImageCheck> {
    if (!deploysImage(app)) throw fieldError('invalid_request', 'appId', 'must be an app that runs a ready image: this one is built')
    const { digest } = await visits.resolveFor(caller, app.image, imageUserOf(app)).catch((cause: unknown) => {
      throw asAppError(cause, 'image')
    })
    const liveDigest = (await liveImage(db, app.id)).split('@')[1] ?? ''
    return { image: app.image, digest, liveDigest, isNewer: digest !== liveDigest }
  }

  /** For an app that is not there yet: what the caller names counts as named by the caller. */
  async function look(caller: Caller, wanted: { projectId: number; image: string }): Promise<ImageLook> {
    try {
      const found = await visits.resolveFor(caller, wanted.image, { projectId: wanted.projectId, personId: caller.id })
      const where = found.platforms.length === 0 ? '' : ` for ${found.platforms.slice(0, 5).join(', ')}`
      return { found: true, message: `Found${where}`, digest: found.digest }
    } catch (cause) {
      if (cause instanceof RegistryError) return { found: false, message: cause.message, digest: '' }
      throw asAppError(cause, 'image')
    }
  }

  return { check, look }
}

export type ImageChecks = ReturnType<typeof createImageChecks>
