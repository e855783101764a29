import type { Kysely } from 'kysely'

/** Indexes for ending old sessions, and for counting and forgetting the lines of the audit log by person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('session_expiry').on('session').column('expires_at').execute()
  await db.schema.createIndex('audit_actor').on('audit').column('actor_id').execute()
}
