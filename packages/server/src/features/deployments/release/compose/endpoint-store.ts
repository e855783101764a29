import type { Endpoint } from '../../../../engine/compose/routed.ts'
import type { Reader } from '../../../../store/database.ts'

/** The services of an app that have their own domains, with the ports that visitors are sent to. */
export async function listEndpoints(db: Reader, appId: number): Promise<Endpoint[]> {
  return await db
    .selectFrom('domain')
    .select(['service', 'port'])
    .distinct()
    .where('app_id', '=', appId)
    .where('service', '!=', '')
    .orderBy('service')
    .orderBy('port')
    .execute()
}

/** How visitors are to get to an app: the services with domains of their own, and whether there are domains that name none. */
export async function findEndpoints(db: Reader, appId: number): Promise<{ endpoints: Endpoint[]; hasOwnDomain: boolean }> {
  const own = await db.selectFrom('domain').select('id').where('app_id', '=', appId).where('service', '=', '').limit(1).executeTakeFirst()
  return { endpoints: await listEndpoints(db, appId), hasOwnDomain: own !== undefined }
}
