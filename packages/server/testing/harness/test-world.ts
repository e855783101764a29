import { join } from 'node:path'
import type { DeploymentStatus } from '@berth/contract'
import { sql } from 'kysely'
import { aboutToken } from '../../src/features/git-providers/host-access.ts'
import { aboutPassword } from '../../src/features/registries/credentials.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { secretFile } from '../../src/lib/secret-file.ts'
import { dialectOf } from '../../src/store/dialect.ts'
import type { Person, TestServer } from './start-test-server.ts'
import { writeRows } from './write-rows.ts'

export const ROLES_TESTED = ['anonymous', 'stranger', 'member', 'app owner', 'project owner', 'admin', 'owner'] as const
export type TestRole = (typeof ROLES_TESTED)[number]

/** One person for each role that is somebody. Roles in a project hold for the projects that `newSubject` makes. */
export type People = Record<Exclude<TestRole, 'anonymous'>, Person>

/** One of everything that an id can name. */
export type Subject = {
  projectId: number
  appId: number
  databaseAppId: number
  envId: number
  domainId: number
  waitingId: number
  liveId: number
  releaseId: number
  userId: number
  accountId: number
  deliveryId: number
  registryId: number
}

export async function peopleOf(berth: TestServer): Promise<People> {
  return {
    stranger: await berth.as('stranger'),
    member: await berth.as('member'),
    'app owner': await berth.as('app-owner'),
    'project owner': await berth.as('project-owner'),
    admin: await berth.as('admin', 'admin'),
    owner: await berth.owner(),
  }
}

type Berth = Pick<TestServer, 'dataDir' | 'env'>
type Deployment = { appId: number; number: number; status: DeploymentStatus; isActive: boolean; image: string }

/** Deployments need an engine to succeed; what they leave in the database does not. */
export async function insertDeployment(berth: Berth, { appId, number, status, isActive, image }: Deployment): Promise<number> {
  const at = new Date().toISOString()
  const isFinished = !['pending', 'building', 'deploying'].includes(status)
  return await writeRows(berth, async (tx) => {
    const { id } = await tx
      .insertInto('deployment')
      .values({
        app_id: appId,
        number,
        status,
        image,
        is_active: isActive ? 1 : 0,
        stage: '',
        progress: 0,
        commit_hash: '',
        commit_message: '',
        commit_author: '',
        error_message: '',
        trigger: 'manual',
        sealed_config: '',
        attempts: 1,
        duration: 0,
        started_at: at,
        finished_at: isFinished ? at : null,
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

/** A name that does not resolve, so no account there ever works. */
export const UNREACHABLE_HOST = 'https://git.nowhere.invalid'

function secretsOf({ dataDir }: Berth) {
  return createSecretBox(secretFile(join(dataDir, 'secrets.key'), { mayCreate: false }))
}

/** A token is checked with its host before it is stored; without a host, the row is written directly. */
async function insertGitAccount(berth: Berth, account: { projectId: number; createdBy: number }): Promise<number> {
  const secrets = secretsOf(berth)
  const at = new Date().toISOString()
  return await writeRows(berth, async (tx) => {
    const { id } = await tx
      .insertInto('git_account')
      .values({
        provider: 'gitea',
        via: 'token',
        name: 'robot',
        base_url: UNREACHABLE_HOST,
        user_id: null,
        project_id: account.projectId,
        created_by: account.createdBy,
        login: 'robot',
        host_id: '1',
        sealed_token: '',
        sealed_secret: '',
        status: 'ok',
        error: '',
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const sealed_token = secrets.seal('a-token-of-nobody', aboutToken(id))
    await tx.updateTable('git_account').set({ sealed_token }).where('id', '=', id).execute()
    return id
  })
}

/** Credentials are tried at the registry before they are stored; without one, the row is written directly. */
async function insertRegistry(berth: Berth, registry: { projectId: number; createdBy: number }): Promise<number> {
  const secrets = secretsOf(berth)
  const at = new Date().toISOString()
  return await writeRows(berth, async (tx) => {
    const { id } = await tx
      .insertInto('registry')
      .values({
        host: 'ghcr.io',
        username: 'robot',
        sealed_password: '',
        user_id: null,
        project_id: registry.projectId,
        created_by: registry.createdBy,
        error: '',
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const sealed_password = secrets.seal('a-password-of-nobody', aboutPassword(id))
    await tx.updateTable('registry').set({ sealed_password }).where('id', '=', id).execute()
    return id
  })
}

async function insertDelivery(berth: Berth, of: { accountId: number; appId: number }): Promise<number> {
  const empty = {
    repository: '',
    branch: '',
    commit_hash: '',
    push: '',
    repository_id: '',
    before_hash: '',
    pushed_at: '',
    fingerprint: '',
  }
  return await writeRows(berth, async (tx) => {
    const { id } = await tx
      .insertInto('git_delivery')
      .values({
        ...empty,
        account_id: of.accountId,
        delivery: 'd',
        provider: 'gitea',
        event: 'ping',
        result: 'ignored',
        reason: 'The webhook works.',
        headers: '{}',
        received_at: new Date().toISOString(),
        body: Buffer.alloc(0),
        is_late: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.insertInto('git_delivery_app').values({ delivery_id: id, app_id: of.appId, deployment_id: null, reason: '' }).execute()
    return id
  })
}

let count = 0

/** A project with members, two apps, and one of everything else. */
export async function newSubject(berth: TestServer, people: People): Promise<Subject> {
  count += 1
  const n = count
  const project = await people['project owner'].call('projects.create', { name: `Project ${n}` })
  const emails = [people.member.email, people['app owner'].email]
  await people['project owner'].call('projects.members', { id: project.id, emails })
  const { call } = people['app owner']
  const app = await call('apps.create', { projectId: project.id, name: 'shop' })
  const database = await call('apps.create', { projectId: project.id, name: 'db', appType: 'database', templateName: 'redis' })
  const variable = await call('envs.create', { appId: app.id, key: 'COLOUR', value: 'blue' })
  await call('files.save', { appId: app.id, path: '/etc/shop.conf', content: 'colour = blue' })
  const domain = await call('domains.create', { appId: app.id, domain: `shop-${n}.example.com` })
  const deployment = { appId: app.id, isActive: false, image: '' }
  const image = `berth/image-of-app-${app.id}`
  const accountId = await insertGitAccount(berth, { projectId: project.id, createdBy: people['app owner'].id })
  return {
    projectId: project.id,
    appId: app.id,
    databaseAppId: database.id,
    envId: variable.id,
    domainId: domain.id,
    releaseId: await insertDeployment(berth, { ...deployment, number: 1, status: 'success', image }),
    liveId: await insertDeployment(berth, { ...deployment, number: 2, status: 'success', isActive: true, image: `${image}2` }),
    waitingId: await insertDeployment(berth, { ...deployment, number: 3, status: 'pending' }),
    userId: people.member.id,
    accountId,
    registryId: await insertRegistry(berth, { projectId: project.id, createdBy: people['app owner'].id }),
    deliveryId: await insertDelivery(berth, { accountId, appId: app.id }),
  }
}

const NOISE = new Set(['session', 'job', 'schema_migration', 'sqlite_sequence'])

/** The whole content of the database, to check that nothing has changed. Sessions come and go with the tests' own logins. */
export async function dumpDatabase(berth: Berth): Promise<Record<string, unknown[]>> {
  return await writeRows(berth, async (tx) => {
    const named =
      dialectOf(tx) === 'sqlite'
        ? sql<{ name: string }>`select name from sqlite_master where type = 'table' order by 1`
        : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
    const dump: [string, unknown[]][] = []
    for (const { name } of (await named.execute(tx)).rows.filter((table) => !NOISE.has(table.name)))
      dump.push([name, (await sql`select * from ${sql.table(name)} order by 1`.execute(tx)).rows])
    return Object.fromEntries(dump)
  })
}
