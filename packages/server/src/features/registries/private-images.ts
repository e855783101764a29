import type { Db } from '../../store/database.ts'
import { insertPrivateImage, isNotedAsPrivate, type PrivateImage, privateImagesOf } from './private-images-store.ts'

/** Which images projects got with credentials. */
export function createPrivateImageNotes({ db }: { db: Db }) {
  return {
    of: async (digest: string) => await privateImagesOf(db, digest),
    note: async (image: PrivateImage) => {
      if (!(await isNotedAsPrivate(db, image))) await db.transaction(async (tx) => await insertPrivateImage(tx, image))
    },
  }
}

export type PrivateImageNotes = ReturnType<typeof createPrivateImageNotes>
