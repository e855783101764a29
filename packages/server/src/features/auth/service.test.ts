import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Caller } from '../../domain/caller.ts'
import { findUser } from '../../domain/rows.ts'
import { createSessionTokens } from '../../http/authenticate.ts'
import { AppError } from '../../lib/app-error.ts'
import { createPasswords } from './passwords.ts'
import { createAuth } from './service.ts'
import { listSessions, setPassword } from './store.ts'

const ORIGIN = { address: '192.0.2.1', client: 'test', requestId: 'r', isTls: true }

async function open() {
  const test = await openTestDatabase()
  const passwords = createPasswords({ queue: { run: async (work) => await work() } })
  const password_hash = await passwords.hashPassword('correct-horse')
  await test.db.transaction(
    async (tx) => await tx.insertInto('user').values({ email: 'a@example.test', password_hash, role: 'user', created_at: '' }).execute(),
  )
  const world = { afterCheck: async () => undefined as void }
  const auth = createAuth({
    db: test.db,
    tokens: createSessionTokens(randomBytes(32)),
    setup: { complete: async () => 0 },
    invitations: { accept: async () => await Promise.reject(new Error('not asked')) },
    passwords,
    tryPassword: async (_login, judge) => {
      const user = await judge({ isFamiliar: true })
      await world.afterCheck()
      return user
    },
    failedTries: { record: () => undefined },
    newId: randomUUID,
    now: () => new Date(0),
  })
  const setTo = async (hash: string) => await test.db.transaction(async (tx) => await setPassword(tx, 1, hash))
  return { test, auth, world, setTo }
}

it('a login whose password was changed after it was checked begins no session', async () => {
  const { test, auth, world, setTo } = await open()
  await using _test = test
  const login = async () => await auth.login({ email: 'a@example.test', password: 'correct-horse' }, ORIGIN, AbortSignal.timeout(10_000))
  expect((await login()).answer.user.email).toBe('a@example.test')
  world.afterCheck = async () => await setTo('another hash')
  await expect(login()).rejects.toMatchObject({ code: 'wrong_credentials' })
  expect(await test.db.transaction(async (tx) => await listSessions(tx, 1, new Date(0)))).toHaveLength(1)
})

it('a password that was reset after it was checked is not changed, nor by a session that has ended', async () => {
  const { test, auth, world, setTo } = await open()
  await using _test = test
  const caller: Caller = { id: 1, email: 'a@example.test', role: 'user', createdAt: '', sessionId: 's', origin: ORIGIN }
  const input = { currentPassword: 'correct-horse', newPassword: 'correct-battery' }
  const hash = async () => (await findUser(test.db, 1))?.password_hash
  const ended = async () => await Promise.reject(new AppError('not_signed_in'))
  const before = await hash()
  await expect(auth.changePassword(caller, input, ended)).rejects.toMatchObject({ code: 'not_signed_in' })
  expect(await hash()).toBe(before)
  world.afterCheck = async () => await setTo('another hash')
  await expect(auth.changePassword(caller, input, async () => ({ caller }))).rejects.toMatchObject({ code: 'not_allowed' })
  expect(await hash()).toBe('another hash')
  world.afterCheck = async () => await setTo(before ?? '')
  await setTo(before ?? '')
  await auth.changePassword(caller, input, async () => ({ caller }))
  expect(await hash()).not.toBe(before)
})
