import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { insertMember } from '../../domain/rows.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { findAppByKey } from '../git-providers/github/store.ts'
import { saveHook } from './hooks-store.ts'
import { aboutHook, addressKey, createSenders } from './senders.ts'

it("webhooks from before each had its own secret use the account's secret, which proves nothing for the others", async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const secrets = createSecretBox(randomBytes(32))
  const { created_by: user } = await addApp(db, 'ann@example.test')
  const texts = { name: 'robot', login: 'robot', host_id: '1', sealed_token: '', error: '', created_at: '', updated_at: '' }
  const place = { provider: 'gitea', via: 'token', base_url: 'https://git.example.com', status: 'ok', github_app_id: null } as const
  const owner = { user_id: user, project_id: null, created_by: user }
  const shared = { sealed_secret: secrets.seal('of the account', 'about 1') }
  const hook = { account_id: 1, hook_id: '5', repository: 'a/b', url: '', error: '', failures: 0, next_try_at: '' }
  const own = { ...hook, repository_id: '8' }
  await db.transaction(async (tx) => {
    await tx
      .insertInto('git_account')
      .values({ id: 1, ...texts, ...place, ...owner, ...shared })
      .execute()
    await saveHook(tx, { ...hook, repository_id: '7', sealed_secret: '' })
    await saveHook(tx, { ...own, sealed_secret: secrets.seal('of the hook', aboutHook(own)) })
  })
  const aboutAccountSecret = (id: number) => `about ${id}`
  const senderOf = createSenders({ db, secrets, findAppByKey: async () => undefined, aboutAppSecret: String, aboutAccountSecret })
  const old = await senderOf({ account: 1 })
  if (old?.kind !== 'hook') throw new Error('nobody')
  expect(old.secret).toBe('of the account')
  expect([await old.isOfRepository(db, '7'), await old.isOfRepository(db, '8'), await old.isOfRepository(db, '9')]).toEqual([
    true,
    false,
    false,
  ])
  expect((await senderOf({ account: 1, repository: '8', key: addressKey('of the hook') }))?.secret).toBe('of the hook')
  for (const address of [
    { account: 1, repository: '8', key: addressKey('of another') },
    { account: 1, repository: '7', key: addressKey('') },
    { account: 1, repository: '9' },
    { account: 2 },
    { app: 'x' },
    {},
  ])
    expect(await senderOf(address)).toBeUndefined()
})

it('a GitHub App whose secret a person chose sends nothing once that person has left its project', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const secrets = createSecretBox(randomBytes(32))
  const { project_id } = await addApp(db, 'ann@example.test')
  const { created_by: member } = await addApp(db, 'member@example.test')
  await db.transaction(async (tx) => {
    await tx.updateTable('user').set({ role: 'user' }).execute()
    const texts = { base_url: 'https://github.com', slug: '', name: '', hook_error: '', hook_next_try_at: '', created_at: '' }
    const owner = { user_id: null, project_id, created_by: member, hook_failures: 0 }
    for (const [hook_key, chosen_secret] of [
      ['made', 0],
      ['by hand', 1],
    ] as const)
      await tx
        .insertInto('github_app')
        .values({ ...texts, ...owner, hook_key, host_id: hook_key, sealed_key: '', sealed_secret: '', hook_url: '', chosen_secret })
        .execute()
    await tx
      .updateTable('github_app')
      .set({ sealed_secret: secrets.seal('s', 'the secret') })
      .execute()
  })
  const findApp = async (key: string) => await findAppByKey(db, key)
  const words = { aboutAppSecret: () => 'the secret', aboutAccountSecret: String }
  const senderOf = createSenders({ db, secrets, findAppByKey: findApp, ...words })
  const known = async () => [(await senderOf({ app: 'made' }))?.secret, (await senderOf({ app: 'by hand' }))?.secret]
  expect(await known()).toEqual(['s', undefined])
  await db.transaction(async (tx) => await insertMember(tx, { projectId: project_id, userId: member, at: new Date() }))
  expect(await known()).toEqual(['s', 's'])
  await db.transaction(async (tx) => void (await tx.updateTable('github_app').set({ created_by: null }).execute()))
  expect(await known()).toEqual(['s', undefined])
})
