import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { refuseMoreAdded, refuseMoreGitHubApps } from './account-quotas.ts'

it('a person adds a limited number of git accounts and GitHub Apps, however many projects they are for', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { project_id: first, created_by: person } = await addApp(db, 'ann@example.test')
  const { project_id: second } = await addApp(db, 'ben@example.test')
  const at = new Date().toISOString()
  const nothing = { name: '', base_url: '', sealed_secret: '', user_id: null, created_by: person, created_at: at }
  const place = (n: number) => ({ host_id: String(n), project_id: n % 2 === 0 ? first : second })
  const account = {
    ...nothing,
    login: '',
    sealed_token: '',
    error: '',
    provider: 'github',
    via: 'token',
    status: 'ok',
    updated_at: at,
  } as const
  const app = { ...nothing, slug: '', sealed_key: '', hook_url: '', hook_error: '', hook_failures: 0, hook_next_try_at: at }
  const add = async (n: number) =>
    await db.transaction(async (tx) => {
      await refuseMoreAdded(tx, person)
      await refuseMoreGitHubApps(tx, person)
      await tx
        .insertInto('git_account')
        .values({ ...account, ...place(n) })
        .execute()
      await tx
        .insertInto('github_app')
        .values({ ...app, ...place(n), hook_key: String(n) })
        .execute()
    })
  await db.transaction(async (tx) => void (await tx.updateTable('user').set({ role: 'user' }).execute()))
  for (let n = 0; n < 50; n += 1) await add(n)
  const words = 'in all projects together, one person can have at most 50 git accounts'
  await expect(add(50)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) })
  await db.transaction(async (tx) => void (await tx.deleteFrom('git_account').execute()))
  await expect(add(50)).rejects.toMatchObject({ message: expect.stringContaining('at most 50 GitHub Apps') })
  await db.transaction(async (tx) => void (await tx.updateTable('user').set({ role: 'admin' }).execute()))
  await add(50)
})
