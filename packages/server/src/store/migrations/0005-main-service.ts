import { type Kysely, sql } from 'kysely'

/** `image` held the name of a service for compose apps. It has a column of its own now, and a release has one of the two. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('deployment')
    .addColumn('main_service', 'text', (c) => c.notNull().defaultTo('').check(sql`main_service = '' or image = ''`))
    .execute()
  await sql`
    update deployment set main_service = image, image = ''
    where app_id in (select id from app where app_type = 'compose')`.execute(db)
}
