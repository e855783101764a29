import type { Reader, Tx } from '../../store/database.ts'

export type ImageServerRow = { certificate: string; sealed_key: string; sealed_password: string }

const IMAGE_SERVER = 'images'

export async function findImageServer(db: Reader): Promise<ImageServerRow | undefined> {
  const columns = ['certificate', 'sealed_key', 'sealed_password'] as const
  return await db.selectFrom('image_server').select(columns).where('name', '=', IMAGE_SERVER).executeTakeFirst()
}

export async function insertImageServer(tx: Tx, row: ImageServerRow): Promise<void> {
  await tx
    .insertInto('image_server')
    .values({ name: IMAGE_SERVER, ...row })
    .execute()
}

export async function sortedAppNames(db: Reader, ids: readonly number[]): Promise<string[]> {
  return [...(await appNames(db, ids)).values()].toSorted()
}

export async function appNames(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('app').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
