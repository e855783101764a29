import type { Kysely } from 'kysely'

/** Which server has the data of an app, moves of it that have not ended, and volumes that are left on servers to be removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('app_data')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
    .addColumn('server', 'text', (c) => c.notNull())
    .addColumn('server_name', 'text', (c) => c.notNull())
    .addColumn('decided_at', 'text', (c) => c.notNull())
    .addColumn('move_problem', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  const move = db.schema
    .createTable('data_move')
    .addColumn('app_id', 'integer', (c) => c.primaryKey().references('app.id').onDelete('cascade'))
  await ['from_server', 'from_name', 'from_placement', 'to_server', 'to_name', 'stage', 'problem']
    .reduce((table, name) => table.addColumn(name, 'text', (c) => c.notNull()), move)
    .execute()
  await db.schema
    .createTable('left_volume')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('app_id', 'integer', (c) => c.notNull())
    .addColumn('server', 'text', (c) => c.notNull())
    .addColumn('volume', 'text', (c) => c.notNull())
    .execute()
}
