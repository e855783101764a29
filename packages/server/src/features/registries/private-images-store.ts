import { sql } from 'kysely'
import type { Reader, Tx } from '../../store/database.ts'

/** `digest` is that of a manifest, or the id of an image; then `repository` also has the digest that it was pulled by. */
export type PrivateImage = { readonly digest: string; readonly repository: string; readonly projectId: number }

/** Per project, two for each image; the oldest are forgotten first. */
const MOST_OF_PROJECT = 2000

const nextNumber = sql<number>`coalesce(max(number), 0) + 1`.as('number')

/** Of each project that got it with credentials, where it first came from. */
export async function privateImagesOf(db: Reader, digest: string): Promise<PrivateImage[]> {
  const rows = await db
    .selectFrom('private_image')
    .selectAll()
    .where('digest', '=', digest)
    .orderBy('number')
    .orderBy('project_id')
    .orderBy('repository')
    .execute()
  const firsts = [...Map.groupBy(rows, ({ project_id }) => project_id).values()].flatMap(([first]) => first ?? [])
  return firsts.map(({ repository, project_id: projectId }) => ({ digest, repository, projectId }))
}

export async function isNotedAsPrivate(db: Reader, { digest, repository, projectId }: PrivateImage): Promise<boolean> {
  const query = db.selectFrom('private_image').select('number').where('digest', '=', digest)
  return (await query.where('project_id', '=', projectId).where('repository', '=', repository).executeTakeFirst()) !== undefined
}

export async function insertPrivateImage(tx: Tx, { digest, repository, projectId }: PrivateImage): Promise<void> {
  await tx
    .insertInto('private_image')
    .values((eb) => ({ digest, repository, project_id: projectId, number: eb.selectFrom('private_image').select(nextNumber) }))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const ofProject = tx.selectFrom('private_image').select('number').where('project_id', '=', projectId)
  const beyond = await ofProject.orderBy('number', 'desc').limit(1).offset(MOST_OF_PROJECT).executeTakeFirst()
  if (beyond) await tx.deleteFrom('private_image').where('project_id', '=', projectId).where('number', '<=', beyond.number).execute()
}
