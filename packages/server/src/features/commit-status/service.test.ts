import { afterEach, beforeEach, expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { AppRow, DeploymentRow } from '../../domain/rows.ts'
import { HostError } from '../../git-hosts/errors.ts'
import type { GitHost } from '../../git-hosts/host.ts'
import { insertDeployment, moveDeployment } from '../deployments/store.ts'
import type { HostAccess } from '../git-providers/host-access.ts'
import { renameRepository } from '../webhooks/repository-store.ts'
import { createCommitStatuses } from './service.ts'
import { listDueStatuses, settleUnsent } from './store.ts'

const HASH = 'ab'.repeat(20)
let test: Awaited<ReturnType<typeof openTestDatabase>>
let told: string[]
/** What each account's host does before it takes a status. */
let hosts: Map<number, () => Promise<void>>
let stopping: AbortController
let running: Promise<void>

beforeEach(async () => {
  test = await openTestDatabase()
  ;[told, hosts, stopping] = [[], new Map(), new AbortController()]
})
afterEach(async () => {
  stopping.abort()
  await running
  await test[Symbol.asyncDispose]()
})

function start(): void {
  const use: HostAccess['use'] = async (account, work) => {
    const setCommitStatus: GitHost['setCommitStatus'] = async (repository, { state }) => {
      await hosts.get(account.id)?.()
      told.push(`${repository} ${state}`)
    }
    return await work({ setCommitStatus } as GitHost) // nothing else of a host is asked
  }
  const log = { info: () => undefined, warn: () => undefined }
  const times = { everyMs: 5, retryMs: 10, now: () => new Date() }
  const places = { sourceOf: async () => undefined, publicUrl: async () => undefined, edgePorts: { httpPort: 80, httpsPort: 443 } }
  running = createCommitStatuses({ db: test.db, access: { use }, ...places, ...times, log }).keepSending(stopping.signal)
}

async function newApp(name: string, by?: number): Promise<AppRow> {
  const app = await addApp(test.db, `${name}@example.test`)
  return await test.db.transaction(async (tx) => {
    const at = new Date().toISOString()
    const texts = { name, base_url: '', login: '', host_id: '', sealed_token: '', sealed_secret: '', error: '' }
    const owned = { user_id: app.created_by, project_id: null, created_by: by ?? null, created_at: at, updated_at: at }
    const account = { ...texts, ...owned, provider: 'github', via: 'token', status: 'ok' } as const
    const { id } = await tx.insertInto('git_account').values(account).returning('id').executeTakeFirstOrThrow()
    const source = { git_provider_id: id, git_repository: name, git_repository_id: name, git_commit_url: `https://host/${name}/` }
    return await tx.updateTable('app').set(source).where('id', '=', app.id).returningAll().executeTakeFirstOrThrow()
  })
}
async function deploy(app: AppRow): Promise<DeploymentRow> {
  const commit = { hash: HASH, message: '', author: '' }
  return await test.db.transaction(
    async (tx) => await insertDeployment(tx, { app, trigger: 'manual', triggeredBy: null, commit, at: new Date() }),
  )
}
async function end({ id }: DeploymentRow, how: 'failed' | 'success'): Promise<void> {
  const at = new Date()
  await test.db.transaction(async (tx) => {
    await moveDeployment(tx, { id, from: 'pending', to: 'building', at })
    if (how === 'success') await moveDeployment(tx, { id, from: 'building', to: 'deploying', at })
    await moveDeployment(tx, { id, from: how === 'success' ? 'deploying' : 'building', to: how, at })
  })
}
const isTold = async (words: string) => await expect.poll(() => told, { timeout: 20_000 }).toContain(words)
const isSettled = async () =>
  await expect
    .poll(async () => await test.db.selectFrom('commit_status').select('deployment_id').where('next_at', 'is not', null).execute(), {
      timeout: 20_000,
    })
    .toEqual([])

it('a host that does not answer holds up nobody else', async () => {
  const [slow, quick] = [await newApp('slow'), await newApp('quick')]
  const answer = Promise.withResolvers<void>()
  hosts.set(slow.git_provider_id ?? 0, async () => await answer.promise)
  await deploy(slow)
  await deploy(slow)
  start()
  const deployment = await deploy(quick)
  await isTold('quick pending')
  await end(deployment, 'success')
  await isTold('quick success')
  expect(told.filter((words) => words.startsWith('slow'))).toEqual([])
  answer.resolve()
  await isTold('slow pending')
})

it('the accounts that one person has added share its turns', async () => {
  const first = await newApp('first')
  const by = first.created_by
  const apps = [await newApp('second', by), await newApp('third', by), await newApp('of another')]
  for (const app of apps) await deploy(app)
  const answer = Promise.withResolvers<void>()
  let asked = 0
  const isHanging = async () => {
    asked += 1
    await answer.promise
  }
  for (const app of apps.slice(0, 2)) hosts.set(app.git_provider_id ?? 0, isHanging)
  start()
  await isTold('of another pending')
  await deploy(apps[2] ?? first)
  expect(asked).toBe(1)
  answer.resolve()
  await isTold('second pending')
  await isTold('third pending')
})

it('what is told late of an older deployment does not replace what a newer one of the same commit came to', async () => {
  const app = await newApp('shop')
  let isAway = true
  hosts.set(app.git_provider_id ?? 0, async () => {
    if (isAway) throw new HostError('unavailable', 'The host is away.')
  })
  const older = await deploy(app)
  await end(older, 'failed')
  start()
  await expect
    .poll(async () => (await test.db.selectFrom('commit_status').select('failures').executeTakeFirst())?.failures, { timeout: 20_000 })
    .toBeGreaterThan(0)
  const newer = await deploy(app)
  await end(newer, 'success')
  isAway = false
  await isTold('shop success')
  await isSettled()
  expect(told).toEqual(['shop success'])
})

it('a deployment that was replaced before anything was told of it is not told, and one that was queued again stays queued', async () => {
  const app = await newApp('shop')
  const stopped = await Promise.all(Array.from({ length: 5 }, async () => await deploy(app)))
  const at = new Date() // after all of them: the one that stays is due first
  const stop = async ({ id }: DeploymentRow) =>
    await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'pending', to: 'stopped', at }))
  for (const each of stopped.slice(1)) await stop(each)
  const due = await listDueStatuses(test.db, { now: new Date(), mostOfPerson: 20, besides: [] })
  await test.db.transaction(async (tx) => {
    await settleUnsent(tx, [...due.slice(2), ...due.slice(0, 1).map((row) => ({ ...row, next_at: '2026-01-01' }))])
  })
  const left = await listDueStatuses(test.db, { now: new Date(), mostOfPerson: 20, besides: [] })
  expect(left.map(({ deployment_id: id }) => id)).toEqual(due.slice(0, 2).map(({ deployment_id: id }) => id))
  start()
  await isTold('shop pending')
  await isSettled()
  expect(told).toEqual(['shop pending'])
})

it('a repository that is renamed while a deployment runs is told how it ends', async () => {
  const app = await newApp('old')
  start()
  const deployment = await deploy(app)
  await isTold('old pending')
  const names = { git_repository: 'new', git_clone_url: '', git_commit_url: 'https://host/new/' }
  const of = { accountId: app.git_provider_id ?? 0, repositoryId: 'old', apps: [app] }
  await test.db.transaction(async (tx) => await renameRepository(tx, of, { names, at: new Date() }))
  await end(deployment, 'failed')
  await isTold('new failure')
  expect(told).not.toContain('old failure')
})
