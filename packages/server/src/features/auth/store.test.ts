import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { deleteSessionsBeyond, insertSession, listSessions } from './store.ts'

it('keeps the newest sessions of a person, always this one, and those of others', async () => {
  await using test = await openTestDatabase()
  const expiresAt = new Date(1_000_000)
  const left = await test.db.transaction(async (tx) => {
    for (const email of ['a@example.test', 'b@example.test'])
      await tx.insertInto('user').values({ email, password_hash: '', role: 'user', created_at: '' }).execute()
    for (let n = 0; n < 60; n += 1)
      await insertSession(tx, { id: `${n}`, userId: 1 + (n % 2), at: new Date(n), expiresAt, address: '', client: '' })
    await deleteSessionsBeyond(tx, 1, 3, '0')
    return [await listSessions(tx, 1, new Date(0)), await listSessions(tx, 2, new Date(0))]
  })
  expect(left[0]?.map(({ id }) => id)).toEqual(['58', '56', '54', '0'])
  expect(left[1]).toHaveLength(30)
})
