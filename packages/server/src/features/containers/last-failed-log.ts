import type { Reader } from '../../store/database.ts'
import type { KeptOutput } from '../deployments/log/kept-output.ts'
import { lastFailed } from './store.ts'

/** For an app without a container: the output of the container of its last failed release. */
export function createLastFailedLog({ db, keptOutput }: { db: Reader; keptOutput: Pick<KeptOutput, 'read'> }) {
  return async function lastFailedLog(appId: number, tail: number): Promise<string> {
    for (const id of await lastFailed(db, appId)) {
      const text = await keptOutput.read(id, tail)
      if (text !== '') return text
    }
    return ''
  }
}
