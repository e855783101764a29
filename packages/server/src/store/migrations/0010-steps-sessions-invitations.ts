import type { Kysely } from 'kysely'

/** How long each step of a deployment took, from where a session was begun, and invitations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('deployment')
    .addColumn('steps', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  for (const column of ['address', 'client'])
    await db.schema
      .alterTable('session')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute()
  await db.schema
    .createTable('invitation')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('invited_by', 'integer', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('invitation_invited_by').on('invitation').column('invited_by').execute()
}
