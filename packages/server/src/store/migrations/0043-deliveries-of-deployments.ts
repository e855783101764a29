import type { Kysely } from 'kysely'

/** The database looks for the deliveries of each deployment that is deleted, to forget the deployment there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('git_delivery_app_deployment').on('git_delivery_app').column('deployment_id').execute()
}
