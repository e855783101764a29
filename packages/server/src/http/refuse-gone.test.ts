import { expect, it } from 'vitest'
import { addApp } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { AppError } from '../lib/app-error.ts'
import type { Db } from '../store/database.ts'
import type { Loaders } from './policies.ts'
import { refuseGone } from './refuse-gone.ts'

const caller = { id: 1, email: '', role: 'user', createdAt: '', sessionId: '' } as const
const admitted = {
  may: 'member of the app',
  caller: { ...caller, origin: { address: '', requestId: '', isTls: false, client: '' } },
  input: {},
} as const

/** What the database says about a variable of an app that does not exist. */
async function referenceFailure(db: Db): Promise<unknown> {
  const row = { app_id: 4711, key: 'A', sealed_value: '', created_at: '', updated_at: '' }
  const write = db.transaction(async (tx) => await tx.insertInto('env_variable').values(row).execute())
  return await write.then(
    () => 'written',
    (cause: unknown) => cause,
  )
}

it('a write that refers to what was deleted meanwhile gets the response for what does not exist', async () => {
  await using test = await openTestDatabase()
  await addApp(test.db, 'a@example.test')
  const cause = await referenceFailure(test.db)
  const gone = {
    'member of the app': async () => {
      throw new AppError('app_not_found')
    },
  } as unknown as Loaders // the one that is asked
  const there = { 'member of the app': async () => ({}) } as unknown as Loaders
  await expect(refuseGone(gone, admitted, cause)).rejects.toMatchObject({ code: 'app_not_found' })
  await expect(refuseGone(there, admitted, cause), 'something else is missing').rejects.toBe(cause)
  await expect(refuseGone(gone, { may: 'anyone', input: {} }, cause)).rejects.toBe(cause)
  const other = new Error('another one')
  await expect(refuseGone(gone, admitted, other)).rejects.toBe(other)
})
