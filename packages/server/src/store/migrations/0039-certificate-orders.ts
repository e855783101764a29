import type { Kysely } from 'kysely'

/** The latest orders of certificates, by the owner of the host: all share one account at the authority. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificate_order')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('owner_id', 'integer', (c) => c.notNull())
    .addColumn('ordered_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('certificate_order_owner').on('certificate_order').columns(['owner_id', 'ordered_at']).execute()
}
