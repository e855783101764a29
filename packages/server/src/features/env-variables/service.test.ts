import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { createEnvVariables } from './service.ts'
import { listEnvVariables } from './store.ts'

it('a change of the name keeps a value that was changed meanwhile, and the other way round', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const origin = { address: '', requestId: '', isTls: false, client: '' }
  const caller: Caller = { id: app.created_by, email: 'a@example.test', role: 'owner', createdAt: '', sessionId: '', origin }
  const variables = createEnvVariables({ db, secrets: createSecretBox(randomBytes(32)), now: () => new Date() })
  await variables.create(caller, app, { key: 'OLD', value: 'first' })
  const [stale] = await listEnvVariables(db, app.id)
  if (!stale) throw new Error('the variable is there')
  await variables.update(caller, app, stale, { value: 'second' })
  expect(await variables.update(caller, app, stale, { key: 'NEW' })).toMatchObject({ key: 'NEW', value: 'second' })
  expect(await variables.update(caller, app, stale, { value: 'third' })).toMatchObject({ key: 'NEW', value: 'third' })
})
