import type { Door } from '../../../../engine/compose/routed.ts'
import type { Reader } from '../../../../store/database.ts'

/** The services of an app that have their own domains, with the ports that visitors are sent to. */
export async function doorsOf(db: Reader, appId: number): Promise<Door[]> {
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
export async function entrancesOf(db: Reader, appId: number): Promise<{ doors: Door[]; hasOwnDomain: boolean }> {
  const own = await db.selectFrom('domain').select('id').where('app_id', '=', appId).where('service', '=', '').limit(1).executeTakeFirst()
  return { doors: await doorsOf(db, appId), hasOwnDomain: own !== undefined }
}
