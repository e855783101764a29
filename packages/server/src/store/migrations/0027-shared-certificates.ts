import type { Kysely } from 'kysely'

/** Certificates, the account that orders them, failed attempts and open challenges, which were files of one process. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificate')
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('chain', 'text', (c) => c.notNull())
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('directory', 'text')
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('certificate_key', ['host', 'source'])
    .execute()
  await db.schema.createIndex('certificate_revision').on('certificate').column('revision').execute()
  await db.schema
    .createTable('certificate_attempt')
    .addColumn('host', 'text', (c) => c.primaryKey())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('is_rate_limited', 'integer', (c) => c.notNull())
    .addColumn('next_try_at', 'text', (c) => c.notNull())
    .addColumn('directory', 'text')
    .execute()
  await db.schema
    .createTable('acme_account')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('acme_challenge')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .alterTable('control_plane')
    .addColumn('challenge_seen', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
