import { type Kysely, sql } from 'kysely'
import { jsonNumber } from '../dialect.ts'

/**
 * Indexes for what is looked up while a project, an application or a deployment is made, and for whom a job is done, so that
 * those who wait for slots can take turns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('project_slug').on('project').column('slug').execute()
  await db.schema.createIndex('project_owner').on('project').column('owner_id').execute()
  const unfinished = sql.ref('finished_at')
  await db.schema.createIndex('deployment_unfinished_of_app').on('deployment').column('app_id').where(unfinished, 'is', null).execute()
  await db.schema
    .createIndex('deployment_unfinished_of_user')
    .on('deployment')
    .column('triggered_by')
    .where(unfinished, 'is', null)
    .execute()
  await db.schema
    .alterTable('job')
    .addColumn('tenant', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`
    update job set tenant = coalesce(
      (select 'user:' || triggered_by from deployment where deployment.id = ${jsonNumber(db, 'job.payload', 'deploymentId')}), '')`.execute(
    db,
  )
  await db.schema.createIndex('job_held').on('job').columns(['tenant', 'name']).where(sql.ref('lease_until'), 'is not', null).execute()
}
