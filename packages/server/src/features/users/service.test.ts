import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { insertUser } from '../../domain/rows.ts'
import { createUsers } from './service.ts'

const at = new Date()
const origin = { address: '127.0.0.1', requestId: 'test', isTls: false, client: '' }

it('an admin who is demoted while the password is hashed creates and changes nobody', async () => {
  await using opened = await openTestDatabase()
  const { db } = opened
  const person = async (email: string, role: 'owner' | 'admin' | 'user') =>
    await db.transaction(async (tx) => await insertUser(tx, { email, passwordHash: 'unused', role, at }))
  const admin = await person('admin@example.test', 'admin')
  const other = await person('other@example.test', 'user')
  const caller: Caller = { id: admin.id, email: admin.email, role: 'admin', createdAt: at.toISOString(), sessionId: 'one', origin }
  const users = createUsers({
    db,
    now: () => at,
    hashPassword: async () => {
      await db.transaction(async (tx) => await tx.updateTable('user').set({ role: 'user' }).where('id', '=', admin.id).execute())
      return 'hashed'
    },
  })
  const denied = { code: 'not_allowed' }
  await expect(users.create(caller, { email: 'friend@example.test', password: 'a-good-password', role: 'admin' })).rejects.toMatchObject(
    denied,
  )
  await expect(users.update(caller, { id: other.id, role: 'admin', password: 'a-good-password' })).rejects.toMatchObject(denied)
  expect((await users.list()).map(({ email, role }) => `${email} ${role}`).toSorted()).toEqual([
    'admin@example.test user',
    'other@example.test user',
  ])
})
