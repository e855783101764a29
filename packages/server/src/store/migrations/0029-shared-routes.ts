import type { Kysely } from 'kysely'

/** Routes of several processes on one database: what each edge must serve while an app is switched, and what each edge has taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('route_change')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('drain', 'text', (c) => c.notNull())
    .addColumn('resting', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .alterTable('control_plane')
    .addColumn('routes_seen', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('control_plane')
    .addColumn('routes_busy', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
}
