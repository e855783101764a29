import type { Kysely } from 'kysely'

/** Of several processes on one machine: the ports that each of them uses, which no app may have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('control_plane')
    .addColumn('ports', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
}
