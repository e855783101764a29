import type { Reader } from '../../store/database.ts'

/** The domains of an app with their services; the service is empty for domains of the app itself. */
export async function hostsOf(db: Reader, appId: number): Promise<{ host: string; service: string }[]> {
  return await db.selectFrom('domain').select(['host', 'service']).where('app_id', '=', appId).orderBy('id').execute()
}

/** The release that was live before the given one. */
export async function findPrevious(db: Reader, appId: number, deploymentId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('deployment')
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '<', deploymentId)
    .where('status', 'in', ['success', 'rolled_back'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
