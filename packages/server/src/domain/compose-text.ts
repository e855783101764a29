import type { Reader, Tx } from '../store/database.ts'

/** The compose file of an app that has no repository. */
export async function findComposeText(db: Reader, appId: number): Promise<string | undefined> {
  return (await db.selectFrom('compose_file').select('text').where('app_id', '=', appId).executeTakeFirst())?.text
}

/** An empty one is none. */
export async function setComposeText(tx: Tx, appId: number, { text, at }: { text: string; at: Date }): Promise<void> {
  await tx.deleteFrom('compose_file').where('app_id', '=', appId).execute()
  if (text !== '') await tx.insertInto('compose_file').values({ app_id: appId, text, updated_at: at.toISOString() }).execute()
}
