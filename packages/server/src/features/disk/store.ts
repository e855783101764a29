import { UNFINISHED } from '../../domain/lifecycle.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Reader } from '../../store/database.ts'

/** The deployments whose images are or will be in use: live ones, unfinished ones, and the sources of rollbacks. */
export async function deploymentsInUse(db: Reader): Promise<Set<number>> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'release_of'])
    .where((eb) => eb.or([eb('is_active', '=', 1), eb('status', 'in', UNFINISHED)]))
    .execute()
  return new Set(rows.flatMap(({ id, release_of }) => (release_of === null ? [id] : [id, release_of])))
}

export async function listApps(db: Reader): Promise<Pick<AppRow, 'id' | 'app_type'>[]> {
  return await db.selectFrom('app').select(['id', 'app_type']).orderBy('id').execute()
}
