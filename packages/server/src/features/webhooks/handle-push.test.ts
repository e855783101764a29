import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { insertMember } from '../../domain/rows.ts'
import { createAddAutomatic } from '../deployments/request/automatic.ts'
import { createHandlePush } from './handle-push.ts'
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
  const handlePush = createHandlePush({ addAutomatic: createAddAutomatic({ now: () => AT }) })
  let deliveries = 0
  const push = async (askedBy?: number) =>
    await db.transaction(async (tx) => {
      const words = { event: 'push', repository: 'a/b', reason: '', headers: '{}', push: '', repository_id: '7', before_hash: '' }
      const delivery = `d${(deliveries += 1)}`
      const seen = {
        ...words,
        account_id: account.id,
        delivery,
        provider: 'gitea',
        branch: 'main',
        commit_hash: '',
        result: 'ignored',
      } as const
      const rest = { body: Buffer.alloc(0), pushed_at: '', fingerprint: delivery, is_late: 0, received_at: AT.toISOString() }
      const row = tx.insertInto('git_delivery').values({ ...seen, ...rest })
      const { id } = await row.returning('id').executeTakeFirstOrThrow()
      return await handlePush(tx, account, {
        id,
        push: PUSH,
        mayDeploy: () => true,
        isAgain: true,
        ...(askedBy !== undefined && { askedBy }),
      })
    })
  return { db, app, member, push, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
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
