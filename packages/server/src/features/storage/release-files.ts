import { aboutFiles, type ReleaseFile } from '../../domain/release-files.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Reader } from '../../store/database.ts'
import { listWholeFiles } from './store.ts'

/** The current files of an app, for its next release. */
export function createCurrentFiles({ db, secrets }: { db: Reader; secrets: SecretBox }) {
  return async (appId: number): Promise<ReleaseFile[]> =>
    (await listWholeFiles(db, appId)).map(({ path, mode, sealed_content }) => ({
      path,
      mode,
      base64: secrets.open(sealed_content, aboutFiles(appId)),
    }))
}

export type CurrentFiles = ReturnType<typeof createCurrentFiles>
