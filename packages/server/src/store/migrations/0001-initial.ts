import { type Kysely, sql } from 'kysely'
import { noCase, uniqueNoCase } from '../dialect.ts'

type Db = Kysely<unknown>

async function createPeople(db: Db): Promise<void> {
  await db.schema
    .createTable('user')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('session')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('session_user').on('session').column('user_id').execute()
  for (const name of ['setting', 'fact'])
    await db.schema
      .createTable(name)
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .execute()
}

async function createProjects(db: Db): Promise<void> {
  await db.schema
    .createTable('project')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('owner_id', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('project_member')
    .addColumn('project_id', 'integer', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('project_member_key', ['project_id', 'user_id'])
    .execute()
  await db.schema.createIndex('project_member_user').on('project_member').column('user_id').execute()
}

async function createApps(db: Db): Promise<void> {
  const text = [
    'slug',
    'description',
    'app_type',
    'status',
    'status_reason',
    'wanted',
    'git_repository',
    'git_branch',
    'git_clone_url',
    'root_directory',
  ]
  let app = db.schema
    .createTable('app')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('project_id', 'integer', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('created_by', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('name', 'text', (c) => c.notNull().modifyEnd(noCase(db)))
  for (const column of [...text, 'healthcheck_path', 'deployment_strategy', 'restart_policy', 'template_name', 'created_at', 'updated_at'])
    app = app.addColumn(column, 'text', (c) => c.notNull())
  await app
    .addColumn('port', 'integer')
    .addColumn('git_provider_id', 'integer')
    .addColumn('dockerfile_path', 'text')
    .addColumn('cpu_limit', 'real')
    .addColumn('memory_limit', 'integer')
    .execute()
  await uniqueNoCase(db, { name: 'app_name', table: 'app', columns: ['project_id'], noCase: 'name' })
  await db.schema.createIndex('app_slug').on('app').columns(['project_id', 'slug']).unique().execute()
  await db.schema
    .createTable('env_variable')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('sealed_value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('env_variable_key', ['app_id', 'key'])
    .execute()
}

async function createDomains(db: Db): Promise<void> {
  await db.schema
    .createTable('domain')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
    .addColumn('host', 'text', (c) => c.notNull().unique())
    .addColumn('generated', 'integer', (c) => c.notNull())
    .addColumn('ssl_status', 'text', (c) => c.notNull())
    .addColumn('ssl_error', 'text', (c) => c.notNull())
    .addColumn('dns_status', 'text', (c) => c.notNull())
    .addColumn('dns_error', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('next_try_at', 'text')
    .addColumn('redirect_https', 'integer', (c) => c.notNull())
    .addColumn('hsts', 'integer', (c) => c.notNull())
    .addColumn('own_certificate', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('domain_app').on('domain').column('app_id').execute()
}

async function createDeployments(db: Db): Promise<void> {
  const text = [
    'status',
    'stage',
    'commit_hash',
    'commit_message',
    'commit_author',
    'error_message',
    'trigger',
    'image',
    'sealed_config',
    'created_at',
    'updated_at',
  ]
  let deployment = db.schema
    .createTable('deployment')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('app_id', 'integer', (c) => c.notNull().references('app.id').onDelete('cascade'))
  for (const column of text) deployment = deployment.addColumn(column, 'text', (c) => c.notNull())
  for (const column of ['number', 'progress', 'is_active', 'attempts', 'duration'])
    deployment = deployment.addColumn(column, 'integer', (c) => c.notNull())
  await deployment
    .addColumn('triggered_by', 'integer', (c) => c.references('user.id').onDelete('set null'))
    .addColumn('rolled_back_from', 'integer')
    .addColumn('release_of', 'integer')
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .execute()
  await db.schema.createIndex('deployment_number').on('deployment').columns(['app_id', 'number']).unique().execute()
  await db.schema
    .createIndex('deployment_active')
    .on('deployment')
    .column('app_id')
    .unique()
    .where(sql.ref('is_active'), '=', sql.lit(1))
    .execute()
  await db.schema.createIndex('deployment_unfinished').on('deployment').column('status').where(sql.ref('finished_at'), 'is', null).execute()
}

async function createLogs(db: Db): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('lane', 'text', (c) => c.notNull())
    .addColumn('run_at', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('lease_until', 'text')
    .addColumn('worker', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('job_lane').on('job').columns(['lane', 'id']).execute()
  await db.schema
    .createTable('event')
    .addColumn('seq', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('project_id', 'integer')
    .addColumn('data', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('audit')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'integer')
    .addColumn('actor_email', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'integer')
    .addColumn('before', 'text', (c) => c.notNull())
    .addColumn('after', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .execute()
}

export async function up(db: Db): Promise<void> {
  await createPeople(db)
  await createProjects(db)
  await createApps(db)
  await createDomains(db)
  await createDeployments(db)
  await createLogs(db)
}
