import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createSessionTokens } from '../../http/authenticate.ts'
import { createPasswords } from './passwords.ts'
import { createAuth } from './service.ts'
import { listSessions, setPassword } from './store.ts'

const ORIGIN = { address: '192.0.2.1', client: 'test', requestId: 'r', isTls: true }

it('a login whose password was changed after it was checked begins no session', async () => {
  await using test = await openTestDatabase()
  const passwords = createPasswords({ queue: { run: async (work) => await work() } })
  const password_hash = await passwords.hashPassword('correct-horse')
  await test.db.transaction(
    async (tx) => await tx.insertInto('user').values({ email: 'a@example.test', password_hash, role: 'user', created_at: '' }).execute(),
  )
  let afterCheck = async () => undefined as void
  const auth = createAuth({
    db: test.db,
    tokens: createSessionTokens(randomBytes(32)),
    setup: { complete: async () => 0 },
    invitations: { accept: async () => await Promise.reject(new Error('not asked')) },
    passwords,
    tryPassword: async (_login, judge) => {
      const user = await judge({ isFamiliar: true })
      await afterCheck()
      return user
    },
    failedTries: { record: () => undefined },
    newId: randomUUID,
    now: () => new Date(0),
  })
  const login = async () => await auth.login({ email: 'a@example.test', password: 'correct-horse' }, ORIGIN, AbortSignal.timeout(10_000))
  expect((await login()).answer.user.email).toBe('a@example.test')
  afterCheck = async () => await test.db.transaction(async (tx) => await setPassword(tx, 1, 'another hash'))
  await expect(login()).rejects.toMatchObject({ code: 'wrong_credentials' })
  expect(await test.db.transaction(async (tx) => await listSessions(tx, 1, new Date(0)))).toHaveLength(1)
})
