import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { findGitDelivery, insertMember } from '../../domain/rows.ts'
import { listDeployments } from '../deployments/history/lists-store.ts'
import { createAddAutomatic } from '../deployments/request/automatic.ts'
import { type BegunPush, createHandlePush, type HandledPush } from './handle-push.ts'
import type { Push } from './push.ts'

const AT = new Date()
const PUSH: Push = {
  ref: 'refs/heads/main',
  before: 'a'.repeat(40),
  after: 'b'.repeat(40),
  repository: 'a/b',
  repositoryId: '7',
  defaultBranch: 'main',
  message: '',
  author: '',
  isDeleted: false,
  paths: null,
  pushedAt: '',
}

/** An app of one person in the project of another one, with a personal account of the first. */
async function openLab() {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'victim@example.test')
  const { created_by: member } = await addApp(db, 'member@example.test')
  const texts = { name: '', base_url: 'https://git.example.com', login: '', host_id: '', sealed_token: '', sealed_secret: '', error: '' }
  const owned = { user_id: member, project_id: null, created_by: member }
  const times = { created_at: AT.toISOString(), updated_at: AT.toISOString() }
  const account = await db.transaction(async (tx) => {
    await tx.updateTable('user').set({ role: 'user' }).where('id', '=', member).execute()
    const row = { ...texts, ...owned, ...times, provider: 'gitea', via: 'token', status: 'ok' } as const
    const made = await tx.insertInto('git_account').values(row).returningAll().executeTakeFirstOrThrow()
    const source = { git_provider_id: made.id, git_repository: 'a/b', git_repository_id: '7', git_branch: 'main', source_set_by: member }
    await tx
      .updateTable('app')
      .set({ ...source, git_clone_url: 'https://git.example.com/a/b.git', auto_deploy: 1 })
      .where('id', '=', app.id)
      .execute()
    return made
  })
  const handlePush = createHandlePush({ db, addAutomatic: createAddAutomatic({ now: () => AT }), now: () => AT })
  /** Stores a delivery and begins to handle it, as far as one transaction goes. */
  const begin = async (push: Partial<Push>, how: 'first' | 'by hand', askedBy?: number) =>
    await db.transaction(async (tx) => {
      const pushed = { ...PUSH, ...push }
      const words = { event: 'push', reason: '', headers: '{}', push: '', branch: 'main', commit_hash: pushed.after, pushed_at: '' }
      const from = { account_id: account.id, provider: 'gitea', repository: 'a/b', repository_id: '7', before_hash: pushed.before } as const
      const rest = { body: Buffer.alloc(0), result: 'ignored', is_late: 0, received_at: AT.toISOString() } as const
      const delivery = randomUUID()
      const row = tx.insertInto('git_delivery').values({ ...words, ...from, ...rest, delivery, fingerprint: delivery })
      const { id } = await row.returning('id').executeTakeFirstOrThrow()
      return { id, begun: await handlePush(tx, account, { id, push: pushed, how, ...(askedBy !== undefined && { askedBy }) }) }
    })
  const again = async (id: number) =>
    await finish(await db.transaction(async (tx) => await handlePush(tx, account, { id, push: PUSH, how: 'again' })))
  const push = async (askedBy?: number) => await finish((await begin({}, 'by hand', askedBy)).begun)
  return { db, app, member, begin, again, push, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

const finish = async (begun: HandledPush | BegunPush) => ('goOn' in begun ? await begun.goOn() : begun)

/** With so many apps of the repository. */
async function openLargeLab(count: number) {
  const lab = await openLab()
  const { db, app } = lab
  await db.transaction(async (tx) => {
    await insertMember(tx, { projectId: app.project_id, userId: lab.member, at: AT })
    const { id: _id, ...row } = await tx.selectFrom('app').selectAll().where('id', '=', app.id).executeTakeFirstOrThrow()
    const others = Array.from({ length: count - 1 }, (_, n) => ({ ...row, name: `a${n}`, slug: `a${n}` }))
    await tx.insertInto('app').values(others).execute()
  })
  const deployed = async () => {
    const rows = await db.selectFrom('deployment').select(['app_id', 'commit_hash', 'commit_url']).orderBy('id').execute()
    return [...Map.groupBy(rows, ({ app_id }) => app_id).values()]
  }
  const delivery = async (id: number) => await findGitDelivery(db, id)
  return { ...lab, deployed, delivery }
}

it('a push deploys with a personal account only while its owner has access to the project', async () => {
  await using lab = await openLab()
  const { db, app, member } = lab
  await db.transaction(async (tx) => await insertMember(tx, { projectId: app.project_id, userId: member, at: AT }))
  expect(await lab.push()).toMatchObject({ result: 'deployed', deployments: [expect.any(Number)] })
  await db.transaction(async (tx) => void (await tx.deleteFrom('project_member').where('user_id', '=', member).execute()))
  expect(await lab.push()).toEqual({ result: 'ignored', reason: 'No app deploys from a/b with this account.', deployments: [] })
})

it('a push takes the turn of whoever chose the source, and one that is repeated that of the person who repeats it', async () => {
  await using lab = await openLab()
  const { db, app, member } = lab
  const owner = app.created_by
  await db.transaction(async (tx) => await insertMember(tx, { projectId: app.project_id, userId: member, at: AT }))
  const tenantsAfter = async (askedBy?: number) => {
    await lab.push(askedBy)
    return await db.selectFrom('job').select('tenant').execute()
  }
  expect(await tenantsAfter()).toEqual([{ tenant: `user:${member}` }])
  expect(await tenantsAfter(owner)).toEqual([{ tenant: `user:${owner}` }]) // the earlier one was replaced
})

it('a push of many apps leaves room for other writes, and is not done until the last app is', async () => {
  await using lab = await openLargeLab(50)
  const { id, begun } = await lab.begin({}, 'first')
  expect((await lab.deployed()).length).toBe(10)
  expect(await lab.delivery(id)).toMatchObject({ result: 'failed', reason: expect.stringContaining('not come to the end') })
  const [done, seen] = await Promise.all([
    finish(begun),
    lab.db.transaction(async (tx) => await tx.selectFrom('deployment').select('id').execute()),
  ])
  expect(seen.length).toBeLessThan(50)
  expect(done).toMatchObject({ result: 'deployed', reason: '' })
  expect(new Set(done.deployments).size).toBe(50)
  expect((await lab.deployed()).map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 1))
  expect(await lab.delivery(id)).toMatchObject({ result: 'deployed', reason: '' })
})

it('a push that was cut off is continued when it is delivered again, and nothing is deployed twice', async () => {
  await using lab = await openLargeLab(50)
  const { id } = await lab.begin({}, 'first') // and the process dies
  const [one, other] = await Promise.all([lab.again(id), lab.again(id)])
  expect(new Set(one.deployments).size).toBe(50)
  expect(other).toEqual(one)
  expect((await lab.deployed()).map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 1))
  expect(await lab.delivery(id)).toMatchObject({ result: 'deployed', reason: '' })
})

it('a newer push that overtakes one with many apps stays the newest of each app', async () => {
  await using lab = await openLargeLab(50)
  const older = await lab.begin({}, 'first')
  const newer = await finish((await lab.begin({ before: PUSH.after, after: 'c'.repeat(40) }, 'first')).begun)
  expect(newer.deployments.length).toBe(50)
  expect(await finish(older.begun)).toMatchObject({
    result: 'deployed',
    reason: 'A newer push to main was delivered before this one.',
    deployments: { length: 10 },
  })
  for (const rows of await lab.deployed()) expect(rows.at(-1)?.commit_hash).toBe('c'.repeat(40))
})

it('after a rename no deployment is written, and all show the link of the new name', async () => {
  await using lab = await openLargeLab(30)
  const { db, app } = lab
  await db.transaction(
    async (tx) => void (await tx.updateTable('app').set({ git_commit_url: 'https://git.example.com/a/b/commit/' }).execute()),
  )
  await finish((await lab.begin({}, 'first')).begun)
  await finish((await lab.begin({ before: PUSH.after, after: 'c'.repeat(40), repository: 'a/c' }, 'first')).begun)
  const urls = async () => (await listDeployments(db, { appId: app.id })).map(({ commit_url }) => commit_url)
  expect((await lab.deployed())[0]?.map(({ commit_url }) => commit_url)).toEqual(
    ['b', 'c'].map((name) => `https://git.example.com/a/${name}/commit/`),
  )
  expect(await urls()).toEqual(['https://git.example.com/a/c/commit/', 'https://git.example.com/a/c/commit/'])
  const names = await db
    .selectFrom('app')
    .select(['git_repository', 'git_clone_url'])
    .where('git_provider_id', 'is not', null)
    .distinct()
    .execute()
  expect(names).toEqual([{ git_repository: 'a/c', git_clone_url: 'https://git.example.com/a/c.git' }])
  await db.transaction(async (tx) => void (await tx.updateTable('app').set({ git_repository_id: '8', git_commit_url: 'x/' }).execute()))
  expect(await urls()).toEqual(['c', 'b'].map((name) => `https://git.example.com/a/${name}/commit/`)) // of a source that it had before
})
