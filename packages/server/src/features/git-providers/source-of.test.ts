import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createNewestCommit, createSourceOf } from './source-of.ts'

const ssh = { privateKey: 'k', hostKey: async () => '', pin: async () => true }
const noAccount = { forClone: async () => await Promise.reject(new Error('the app has no account')) }

it('a source over ssh comes with the deploy key of the app, and another one without', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const sourceOf = createSourceOf({ db, access: noAccount, sshAccessOf: async () => ssh })
  const of = async (git_clone_url: string) => await sourceOf({ ...app, git_clone_url })
  expect(await of('git@git.example.com:shop.git')).toMatchObject({ privileged: false, ssh })
  expect(await of('https://git.example.com/shop.git')).toEqual({ url: 'https://git.example.com/shop.git', privileged: false })
})

it('asking for the credential of an account ends when the caller gives up', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const at = new Date().toISOString()
  const account = {
    provider: 'github',
    via: 'token',
    base_url: 'https://github.com',
    user_id: app.created_by,
    created_by: app.created_by,
  } as const
  const texts = { name: 'a', login: 'a', host_id: '1', sealed_token: '', sealed_secret: '', error: '', created_at: at, updated_at: at }
  const rest = { project_id: null, github_app_id: null, status: 'ok' } as const
  const { id } = await db.transaction(
    async (tx) =>
      await tx
        .insertInto('git_account')
        .values({ ...account, ...texts, ...rest })
        .returning('id')
        .executeTakeFirstOrThrow(),
  )
  const asked: (AbortSignal | undefined)[] = []
  const access = {
    forClone: async (_: unknown, signal?: AbortSignal) => {
      asked.push(signal)
      return { provider: 'github', baseUrl: 'https://github.com', via: 'token', token: 't', privileged: false } as const
    },
  }
  const { signal } = new AbortController()
  const sourceOf = createSourceOf({ db, access, sshAccessOf: async () => undefined })
  await sourceOf({ ...app, git_clone_url: 'https://github.com/a/b.git', git_provider_id: id, source_set_by: app.created_by }, signal)
  expect(asked).toEqual([signal])
})

it('looks for the newest commit take the turn of the owner of the project, whoever the apps were given to', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const [app, other] = [await addApp(db, 'owner@example.test'), await addApp(db, 'other@example.test')]
  const answer = Promise.withResolvers<{ hash: string; branch: string }>()
  const asked: string[] = []
  const newestCommit = createNewestCommit({
    git: {
      resolveCommit: async ({ url }) => {
        asked.push(url)
        return await answer.promise
      },
    },
    sourceOf: async ({ git_clone_url: url }) => ({ url, privileged: false }),
    ownerOf: async (projectId) => (projectId === app.project_id ? app.created_by : other.created_by),
    waitMs: 60_000,
  })
  const of = async (row: typeof app, git_clone_url: string, created_by: number) => await newestCommit({ ...row, git_clone_url, created_by })
  const all = [of(app, 'first', 101), of(app, 'second', 102), of(app, 'third', 103), of(other, 'of the other', 104)]
  await expect.poll(() => asked).toContain('of the other')
  expect(asked).toEqual(['first', 'second', 'of the other'])
  answer.resolve({ hash: 'a'.repeat(40), branch: 'main' })
  expect((await Promise.all(all)).map((found) => found?.branch)).toEqual(['main', 'main', 'main', 'main'])
})
