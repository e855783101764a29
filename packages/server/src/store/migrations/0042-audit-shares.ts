import { type Kysely, sql } from 'kysely'

/** Whose share of the audit log a line takes. Of earlier lines that nobody wrote it is not known whose automatic deployments they tell of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('audit')
    .addColumn('share', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`
    update audit set share = case
      when actor_id is not null then 'person:' || actor_id
      when action = 'session.login_failed' then 'failed logins'
      when action = 'deployment.add' then 'automatic:'
      else 'berth'
    end`.execute(db)
  await db.schema.createIndex('audit_share').on('audit').columns(['share', 'id']).execute()
}
