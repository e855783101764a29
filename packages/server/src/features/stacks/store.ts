import type { Reader } from '../../store/database.ts'

/** The domains of an app, each with its service; empty for the one that has the app's port. */
export async function hostsOf(db: Reader, appId: number): Promise<{ host: string; service: string }[]> {
  return await db.selectFrom('domain').select(['host', 'service']).where('app_id', '=', appId).orderBy('id').execute()
}
