import { randomBytes } from 'node:crypto'
import type { ImageServerIdentity } from '../../engine/image-server/image-server.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { newAuthority } from '../../lib/x509.ts'
import type { Db } from '../../store/database.ts'
import { findImageServer, type ImageServerRow, insertImageServer } from './store.ts'

type Deps = { db: Db; secrets: Pick<SecretBox, 'seal' | 'open'>; instance: string; now: () => Date }

export const ABOUT_IMAGE_KEY = 'image-server-key'
export const ABOUT_IMAGE_PASSWORD = 'image-server-password'
const DAY_MS = 24 * 3600_000
/** Long, because a server is told to trust it only once, when it joins. */
const VALID_DAYS = 365 * 30

/** Who this Berth is for servers that pull images from it, and for its agents there: made once, the same for all control planes, and part of backups. */
export function createImageAuthority({ db, secrets, instance, now }: Deps) {
  const name = `Berth ${instance} images`

  async function make(): Promise<ImageServerRow> {
    return await db.transaction(async (tx) => {
      const found = await findImageServer(tx)
      if (found !== undefined) return found
      const at = now().getTime()
      const made = newAuthority({ name, notBefore: new Date(at - DAY_MS), notAfter: new Date(at + VALID_DAYS * DAY_MS) })
      const row = {
        certificate: made.certificate,
        sealed_key: secrets.seal(made.key, ABOUT_IMAGE_KEY),
        sealed_password: secrets.seal(randomBytes(32).toString('hex'), ABOUT_IMAGE_PASSWORD),
      }
      await insertImageServer(tx, row)
      return row
    })
  }

  return async function identity(): Promise<ImageServerIdentity> {
    const row = (await findImageServer(db)) ?? (await make())
    return {
      authority: { name, certificate: row.certificate, key: secrets.open(row.sealed_key, ABOUT_IMAGE_KEY) },
      password: secrets.open(row.sealed_password, ABOUT_IMAGE_PASSWORD),
    }
  }
}
