import { type Kysely, sql } from 'kysely'

/** Deployments that are never started again have kept their settings, sealed; they can be hundreds of kilobytes each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update deployment set sealed_config = ''
    where is_active = 0 and (
      status in ('failed', 'stopped') or (status in ('success', 'rolled_back') and image = '' and main_service = '')
    )`.execute(db)
}
