import type { Door } from '../../../../engine/compose/routed.ts'
import type { Reader } from '../../../../store/database.ts'

/** The services of an app that have domains of their own, and the ports that visitors are sent to. */
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
