import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { createHooks } from './hooks.ts'
import { listHooks } from './hooks-store.ts'

it('an internal error while registering a webhook is reported and retried later, not on every run', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const app = await addApp(db, 'ann@example.test')
  await db.transaction(async (tx) => {
    const texts = {
      name: 'robot',
      login: 'robot',
      host_id: '1',
      sealed_token: '',
      sealed_secret: '',
      error: '',
      created_at: '',
      updated_at: '',
    }
    const place = { provider: 'github', via: 'token', base_url: 'https://git.example.com', status: 'ok', github_app_id: null } as const
    const owner = { user_id: app.created_by, project_id: null, created_by: app.created_by }
    const { id } = await tx
      .insertInto('git_account')
      .values({ ...texts, ...place, ...owner })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.updateTable('app').set({ git_provider_id: id, git_repository_id: '7', git_repository: 'ann/shop' }).execute()
  })
  let tries = 0
  let at = Date.parse('2026-01-01T00:00:00Z')
  const hooks = createHooks({
    db,
    access: {
      use: async () => {
        tries += 1
        throw new TypeError('a fault of ours')
      },
    },
    secrets: createSecretBox(randomBytes(32)),
    publicUrl: async () => 'https://berth.example.com',
    log: { warn: () => undefined },
    now: () => new Date(at),
  })
  const { signal } = new AbortController()
  for (let round = 0; round < 3; round += 1) await hooks.reconcile(signal)
  expect(tries).toBe(1)
  const [hook] = await listHooks(db)
  expect(hook).toMatchObject({ failures: 1, error: expect.stringContaining('inside Berth'), hook_id: '' })
  expect(hook?.sealed_secret).not.toBe('')
  at += 3_600_000
  await hooks.reconcile(signal)
  expect(tries).toBe(2)
  expect((await listHooks(db))[0]?.sealed_secret).toBe(hook?.sealed_secret)
})
