import { type Kysely, sql } from 'kysely'
import { hasField } from '../dialect.ts'

/**
 * Who set the clone URL: their rights decide what may be cloned. For the apps that are there already the audit log says who that
 * was; the owner of today is no answer, because the app may have been handed over. Somebody who is gone has no rights.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('app')
    .addColumn('source_set_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .execute()
  await sql`
    update app set source_set_by = (
      select "user".id from "user" where "user".id = (
        select audit.actor_id from audit
        where audit.subject = 'app' and audit.subject_id = app.id
          and (audit.action = 'app.create' or (audit.action = 'app.update' and ${hasField(db, 'audit.after', 'git_clone_url')}))
        order by audit.id desc limit 1
      )
    )`.execute(db)
}
