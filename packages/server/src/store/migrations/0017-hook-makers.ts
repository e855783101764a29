import { type Kysely, sql } from 'kysely'

/**
 * Who made a deploy hook: it works as long as that person may deploy the app. For hooks that are there already the audit log says who
 * it was. And what a host calls a deployment of ours.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('hook_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .execute()
  await sql`
    update app set hook_by = (
      select "user".id from "user" where "user".id = (
        select audit.actor_id from audit
        where audit.subject = 'app' and audit.subject_id = app.id and audit.action = 'app.hook_rotate'
        order by audit.id desc limit 1
      )
    ) where hook_hash <> ''`.execute(db)
  await db.schema
    .alterTable('commit_status')
    .addColumn('host_deployment', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}
