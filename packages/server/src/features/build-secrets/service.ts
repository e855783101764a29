import { MOST_BUILD_SECRETS } from '@berth/contract'
import { fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { LONGEST_BUILD_SECRETS } from '../../lib/secret-forms.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { deleteBuildSecret, listBuildSecrets, setBuildSecret } from './store.ts'

export function aboutBuildSecret(appId: number): string {
  return `build-secret:${appId}`
}

/** Values that only builds get. They are encrypted before they reach the database, and no response has them. */
export function createBuildSecrets({ db, secrets }: { db: Reader; secrets: SecretBox }) {
  /** Only what is given changes, and null removes one. */
  async function change(tx: Tx, appId: number, given: Readonly<Record<string, string | null>>): Promise<void> {
    for (const [name, value] of Object.entries(given)) {
      if (value === null) await deleteBuildSecret(tx, appId, name)
      else await setBuildSecret(tx, appId, { name, sealed_value: secrets.seal(value, aboutBuildSecret(appId)) })
    }
    if (Object.keys(given).length === 0) return
    const rows = await listBuildSecrets(tx, appId)
    if (rows.length > MOST_BUILD_SECRETS)
      throw fieldError('invalid_request', 'buildSecrets', `an app can have at most ${MOST_BUILD_SECRETS} build secrets`)
    const bytes = rows.reduce((sum, { name, sealed_value }) => sum + name.length + Buffer.byteLength(open(appId, sealed_value)), 0)
    if (bytes > LONGEST_BUILD_SECRETS)
      throw fieldError('invalid_request', 'buildSecrets', 'the build secrets of an app can have at most 64 KiB in total, with their names')
  }

  const open = (appId: number, sealed: string) => secrets.open(sealed, aboutBuildSecret(appId))

  async function read(appId: number): Promise<Readonly<Record<string, string>>> {
    const rows = await listBuildSecrets(db, appId)
    return Object.fromEntries(rows.map(({ name, sealed_value }) => [name, open(appId, sealed_value)]))
  }

  const names = async (appId: number) => (await listBuildSecrets(db, appId)).map(({ name }) => name)

  return { change, read, names }
}
