import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { aboutToken } from '../../src/features/git-providers/host-access.ts'
import { aboutPassword } from '../../src/features/registries/credentials.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { secretFile } from '../../src/lib/secret-file.ts'
import { databasePath } from '../../src/store/sqlite/open.ts'
import type { Person, TestServer } from './start-test-server.ts'
import { writeToDatabase } from './write-to-database.ts'

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

type Deployment = { appId: number; number: number; status: string; isActive: boolean; image: string }

/** Deployments need an engine to succeed; what they leave in the database does not. */
export async function insertDeployment(dataDir: string, deployment: Deployment): Promise<number> {
  const at = new Date().toISOString()
  const finishedAt = ['pending', 'building', 'deploying'].includes(deployment.status) ? null : at
  return await writeToDatabase(dataDir, (file) => {
    const { lastInsertRowid } = file
      .prepare(
        `insert into deployment (app_id, number, status, stage, progress, commit_hash, commit_message, commit_author, error_message, "trigger",
         image, sealed_config, is_active, attempts, duration, started_at, finished_at, created_at, updated_at)
         values (?, ?, ?, '', 0, '', '', '', '', 'manual', ?, '', ?, 1, 0, ?, ?, ?, ?)`,
      )
      .run(deployment.appId, deployment.number, deployment.status, deployment.image, deployment.isActive ? 1 : 0, at, finishedAt, at, at)
    return Number(lastInsertRowid)
  })
}

/** A name that does not resolve, so no account there ever works. */
export const UNREACHABLE_HOST = 'https://git.nowhere.invalid'

/** A token is checked with its host before it is stored; without a host, the row is written directly. */
async function insertGitAccount(dataDir: string, account: { projectId: number; createdBy: number }): Promise<number> {
  const secrets = createSecretBox(secretFile(join(dataDir, 'secrets.key'), { mayCreate: false }))
  const at = new Date().toISOString()
  return await writeToDatabase(dataDir, (file) => {
    const { lastInsertRowid } = file
      .prepare(
        `insert into git_account (provider, via, name, base_url, user_id, project_id, created_by, login, host_id, sealed_token, sealed_secret,
         status, error, created_at, updated_at) values ('gitea', 'token', 'robot', ?, null, ?, ?, 'robot', '1', '', '', 'ok', '', ?, ?)`,
      )
      .run(UNREACHABLE_HOST, account.projectId, account.createdBy, at, at)
    const id = Number(lastInsertRowid)
    file.prepare('update git_account set sealed_token = ? where id = ?').run(secrets.seal('a-token-of-nobody', aboutToken(id)), id)
    return id
  })
}

/** Credentials are tried at the registry before they are stored; without one, the row is written directly. */
async function insertRegistry(dataDir: string, registry: { projectId: number; createdBy: number }): Promise<number> {
  const secrets = createSecretBox(secretFile(join(dataDir, 'secrets.key'), { mayCreate: false }))
  const at = new Date().toISOString()
  return await writeToDatabase(dataDir, (file) => {
    const { lastInsertRowid } = file
      .prepare(
        `insert into registry (host, username, sealed_password, user_id, project_id, created_by, error, created_at, updated_at)
         values ('registry.nowhere.invalid', 'robot', '', null, ?, ?, '', ?, ?)`,
      )
      .run(registry.projectId, registry.createdBy, at, at)
    const id = Number(lastInsertRowid)
    file.prepare('update registry set sealed_password = ? where id = ?').run(secrets.seal('a-password-of-nobody', aboutPassword(id)), id)
    return id
  })
}

async function insertDelivery(dataDir: string, of: { accountId: number; appId: number }): Promise<number> {
  return await writeToDatabase(dataDir, (file) => {
    const { lastInsertRowid } = file
      .prepare(
        `insert into git_delivery (account_id, delivery, provider, event, repository, branch, commit_hash, result, reason, headers, push,
         received_at, body) values (?, 'd', 'gitea', 'ping', '', '', '', 'ignored', 'The webhook works.', '{}', '', ?, x'')`,
      )
      .run(of.accountId, new Date().toISOString())
    file.prepare('insert into git_delivery_app (delivery_id, app_id) values (?, ?)').run(lastInsertRowid, of.appId)
    return Number(lastInsertRowid)
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
  const accountId = await insertGitAccount(berth.dataDir, { projectId: project.id, createdBy: people['app owner'].id })
  return {
    projectId: project.id,
    appId: app.id,
    databaseAppId: database.id,
    envId: variable.id,
    domainId: domain.id,
    releaseId: await insertDeployment(berth.dataDir, { ...deployment, number: 1, status: 'success', image }),
    liveId: await insertDeployment(berth.dataDir, { ...deployment, number: 2, status: 'success', isActive: true, image: `${image}2` }),
    waitingId: await insertDeployment(berth.dataDir, { ...deployment, number: 3, status: 'pending' }),
    userId: people.member.id,
    accountId,
    registryId: await insertRegistry(berth.dataDir, { projectId: project.id, createdBy: people['app owner'].id }),
    deliveryId: await insertDelivery(berth.dataDir, { accountId, appId: app.id }),
  }
}

const NOISE = new Set(['session', 'job', 'schema_migration', 'sqlite_sequence'])

/** The whole content of the database, to check that nothing has changed. Sessions come and go with the tests' own logins. */
export function dumpDatabase(dataDir: string): Record<string, unknown[]> {
  const file = new BetterSqlite(databasePath(dataDir), { readonly: true, timeout: 10_000 })
  const tables = file.prepare<[], { name: string }>(`select name from sqlite_master where type = 'table' order by name`).all()
  const dump = Object.fromEntries(
    tables.filter(({ name }) => !NOISE.has(name)).map(({ name }) => [name, file.prepare(`select * from "${name}" order by 1`).all()]),
  )
  file.close()
  return dump
}
