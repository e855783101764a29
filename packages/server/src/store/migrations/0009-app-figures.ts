import type { Kysely } from 'kysely'

/** What an app used and served, minute by minute: one row an hour, in a ring that does not grow. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('app_figure')
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('hour', 'integer', (c) => c.notNull())
    .addColumn('samples', 'blob', (c) => c.notNull())
    .addPrimaryKeyConstraint('app_figure_place', ['app_id', 'slot'])
    .execute()
}
