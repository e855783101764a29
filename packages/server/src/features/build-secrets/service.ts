import { MOST_BUILD_SECRETS } from '@berth/contract'
import { fieldError } from '../../lib/app-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
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
    if ((await listBuildSecrets(tx, appId)).length > MOST_BUILD_SECRETS)
      throw fieldError('invalid_request', 'buildSecrets', `must not make more than ${MOST_BUILD_SECRETS} secrets of an app`)
  }

  async function read(appId: number): Promise<Readonly<Record<string, string>>> {
    const rows = await listBuildSecrets(db, appId)
    return Object.fromEntries(rows.map(({ name, sealed_value }) => [name, secrets.open(sealed_value, aboutBuildSecret(appId))]))
  }

  const names = async (appId: number) => (await listBuildSecrets(db, appId)).map(({ name }) => name)

  return { change, read, names }
}
