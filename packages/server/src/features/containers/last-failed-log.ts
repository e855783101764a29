import type { Reader } from '../../store/database.ts'
import type { KeptOutput } from '../deployments/log/kept-output.ts'
import { lastFailed } from './store.ts'

/** Of an app that has no container: what the one of its last failed release printed. */
export function createLastFailedLog({ db, keptOutput }: { db: Reader; keptOutput: Pick<KeptOutput, 'read'> }) {
  return async function lastFailedLog(appId: number, tail: number): Promise<string> {
    for (const id of await lastFailed(db, appId)) {
      const text = await keptOutput.read(id, tail)
      if (text !== '') return text
    }
    return ''
  }
}
