import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { findFile, putFile } from './files-store.ts'

export function aboutDeploymentFile({ deploymentId, name }: { deploymentId: number; name: string }): string {
  return `deployment-file:${deploymentId}:${name}`
}

/** What a deployment leaves behind besides its log, in the database, where every node can read it. */
export function createSharedFiles({ db, secrets }: { db: Db; secrets: Pick<SecretBox, 'seal' | 'open'> }) {
  return {
    async put(deploymentId: number, name: string, text: string): Promise<void> {
      const sealed_content = secrets.seal(text, aboutDeploymentFile({ deploymentId, name }))
      await db.transaction(async (tx) => await putFile(tx, { deployment_id: deploymentId, name, sealed_content }))
    },
    async read(deploymentId: number, name: string): Promise<string | undefined> {
      const sealed = await findFile(db, deploymentId, name)
      return sealed === undefined ? undefined : secrets.open(sealed, aboutDeploymentFile({ deploymentId, name }))
    },
  }
}

export type SharedFiles = ReturnType<typeof createSharedFiles>
