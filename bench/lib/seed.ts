import type { Tx } from '../../packages/server/src/store/database.ts'
import { openSqlite } from '../../packages/server/src/store/sqlite/open.ts'
import { startBerth } from './berth.ts'

export type Size = { projects: number; appsEach: number; deploymentsEach: number; auditEntries: number }

const AT = '2026-01-01T00:00:00.000Z'
const OWNER_ID = 1
const BATCH = 500
const FIRST_APP_DEPLOYMENTS = 10
/** A person who sees the first project alone; the password is the owner's. */
export const MEMBER_EMAIL = 'member@example.com'

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Many rows in few statements: SQLite allows a bounded number of parameters in each. */
async function inBatches<Row>(rows: readonly Row[], insert: (batch: Row[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) await insert(rows.slice(start, start + BATCH))
}

async function insertProjects(tx: Tx, count: number): Promise<void> {
  const times = { created_at: AT, updated_at: AT }
  const projects = numbers(count).map((id) => ({
    id,
    name: `Project ${id}`,
    slug: `project-${id}`,
    description: 'Everything that belongs together',
    tags: 'web,internal',
    owner_id: OWNER_ID,
    ...times,
  }))
  await inBatches(projects, async (batch) => await tx.insertInto('project').values(batch).execute())
  const members = projects.map(({ id }) => ({ project_id: id, user_id: OWNER_ID, added_at: AT }))
  await inBatches(members, async (batch) => await tx.insertInto('project_member').values(batch).execute())
}

async function insertMember(tx: Tx): Promise<void> {
  const { password_hash } = await tx.selectFrom('user').select('password_hash').where('id', '=', OWNER_ID).executeTakeFirstOrThrow()
  const { id } = await tx
    .insertInto('user')
    .values({ email: MEMBER_EMAIL, password_hash, role: 'user', created_at: AT })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.insertInto('project_member').values({ project_id: 1, user_id: id, added_at: AT }).execute()
}

async function insertApps(tx: Tx, count: number, appsEach: number): Promise<void> {
  const apps = numbers(count).map((id) => ({
    id,
    project_id: Math.ceil(id / appsEach),
    name: `Shop ${id}`,
    slug: `shop-${id}`,
    description: 'The web shop and its basket',
    app_type: 'web' as const,
    port: 3000,
    status: 'stopped' as const,
    status_reason: '',
    wanted: 'stopped' as const,
    created_by: OWNER_ID,
    git_repository: '',
    git_branch: 'main',
    git_provider_id: null,
    git_clone_url: `https://git.example.com/shops/shop-${id}.git`,
    root_directory: '',
    dockerfile_path: 'Dockerfile',
    healthcheck_path: '/health',
    deployment_strategy: 'rolling' as const,
    restart_policy: 'unless-stopped' as const,
    cpu_limit: 1,
    memory_limit: 512,
    template_name: '',
    created_at: AT,
    updated_at: AT,
  }))
  await inBatches(apps, async (batch) => await tx.insertInto('app').values(batch).execute())
  const domains = apps.map(({ id }) => ({
    app_id: id,
    host: `shop-${id}.example.com`,
    generated: 1 as const,
    ssl_status: 'none' as const,
    ssl_error: '',
    dns_status: 'unknown' as const,
    dns_error: '',
    expires_at: null,
    next_try_at: null,
    redirect_https: 1 as const,
    hsts: 0 as const,
    own_certificate: 0 as const,
    created_at: AT,
  }))
  await inBatches(domains, async (batch) => await tx.insertInto('domain').values(batch).execute())
}

/** The first app has the same number everywhere: what others have must not show in its list. */
async function insertDeployments(tx: Tx, apps: number, each: number): Promise<void> {
  for (const appId of numbers(apps)) {
    const deployments = numbers(appId === 1 ? FIRST_APP_DEPLOYMENTS : each).map((number) => ({
      app_id: appId,
      number,
      status: 'success' as const,
      stage: 'completed' as const,
      progress: 100,
      commit_hash: '0123456789abcdef0123456789abcdef01234567',
      commit_message: `Change number ${number}`,
      commit_author: 'A Person',
      error_message: '',
      trigger: 'manual' as const,
      triggered_by: OWNER_ID,
      is_active: 0 as const,
      rolled_back_from: null,
      release_of: null,
      image: '',
      sealed_config: '',
      attempts: 1,
      started_at: AT,
      finished_at: AT,
      duration: 40,
      created_at: AT,
      updated_at: AT,
    }))
    await inBatches(deployments, async (batch) => await tx.insertInto('deployment').values(batch).execute())
  }
}

async function insertAudit(tx: Tx, count: number): Promise<void> {
  const entries = numbers(count).map((id) => ({
    at: AT,
    actor_id: OWNER_ID,
    actor_email: 'owner@example.com',
    action: 'app.update',
    subject: 'app',
    subject_id: id,
    before: '{"port":3000}',
    after: '{"port":3001}',
    address: '127.0.0.1',
    request_id: 'b9c1e5e0-4f3c-4f43-9d5f-5d3b8f1c2a77',
    share: `person:${OWNER_ID}`,
  }))
  await inBatches(entries, async (batch) => await tx.insertInto('audit').values(batch).execute())
}

/** Fills a data directory with the given amount of data, through the server's own store. */
export async function seed(dataDir: string, size: Size): Promise<void> {
  await (await startBerth(dataDir)).stop() // makes the keys, the tables and the owner
  const database = await openSqlite({ dataDir, now: () => new Date(), onCommit: () => undefined })
  const apps = size.projects * size.appsEach
  await database.db.transaction(async (tx) => {
    await insertProjects(tx, size.projects)
    await insertMember(tx)
    await insertApps(tx, apps, size.appsEach)
    await insertDeployments(tx, apps, size.deploymentsEach)
    await insertAudit(tx, size.auditEntries)
  })
  await database.close()
}
