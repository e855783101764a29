import type { Reader } from '../../store/database.ts'

export async function hostsOf(db: Reader, appId: number): Promise<string[]> {
  const rows = await db.selectFrom('domain').select('host').where('app_id', '=', appId).orderBy('id').execute()
  return rows.map(({ host }) => host)
}
