import type { Reader } from '../../store/database.ts'

/** The domains of an app with their services; the service is empty for domains of the app itself. */
export async function hostsOf(db: Reader, appId: number): Promise<{ host: string; service: string }[]> {
  return await db.selectFrom('domain').select(['host', 'service']).where('app_id', '=', appId).orderBy('id').execute()
}
