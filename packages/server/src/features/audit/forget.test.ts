import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { type Actor, recordAudit } from '../../domain/audit.ts'
import type { Db } from '../../store/database.ts'
import { createForgetAudit } from './forget.ts'
import { listAudit } from './store.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')
const DAY_MS = 24 * 3600 * 1000
const signal = new AbortController().signal
const actor = (id: number | null): Actor => ({ id, email: `${id}`, origin: { address: '', requestId: '', isTls: false, client: '' } })

async function write(db: Db, id: number | null, count: number, at = NOW): Promise<void> {
  await db.transaction(async (tx) => {
    for (let line = 0; line < count; line += 1) await recordAudit(tx, at, actor(id), { action: `some.${line}`, subject: 'app' })
  })
}

async function linesOf(db: Db): Promise<Record<string, number>> {
  const lines = await db.selectFrom('audit').select('actor_email').execute()
  return Object.fromEntries(
    Object.entries(Object.groupBy(lines, (line) => line.actor_email)).map(([email, own]) => [email, own?.length ?? 0]),
  )
}

it('forgets what is older than 400 days', async () => {
  await using test = await openTestDatabase()
  await write(test.db, 1, 7, new Date(NOW.getTime() - 401 * DAY_MS))
  await write(test.db, 1, 3, new Date(NOW.getTime() - 399 * DAY_MS))
  await createForgetAudit({ db: test.db, now: () => NOW }, { most: 100, batch: 2 })(signal)
  expect(await linesOf(test.db)).toEqual({ 1: 3 })
})

it('forgets the oldest lines of those who have the most, and none of others', async () => {
  await using test = await openTestDatabase()
  await write(test.db, 1, 10)
  await write(test.db, null, 5)
  await write(test.db, 2, 80)
  await write(test.db, 3, 60)
  await createForgetAudit({ db: test.db, now: () => NOW }, { most: 50, batch: 7 })(signal)
  const left = await linesOf(test.db)
  expect(left).toMatchObject({ 1: 10, null: 5 })
  const [second = 0, third = 0] = [left[2], left[3]]
  expect(second + third).toBe(35)
  expect(Math.min(second, third)).toBeGreaterThan(10)
  const [newest] = await listAudit(test.db, { actorId: 2, limit: 1 })
  expect(newest?.action).toBe('some.79')
})

it('keeps failed logins and the deployments of others, however often somebody calls deploy hooks or pushes', async () => {
  await using test = await openTestDatabase()
  const record = async (action: string, person: number | undefined, count: number) =>
    await test.db.transaction(async (tx) => {
      const line = { action, subject: 'app', ...(person !== undefined && { automaticFor: person }) }
      for (let nth = 0; nth < count; nth += 1) await recordAudit(tx, NOW, { ...actor(null), email: `${action} ${person}` }, line)
    })
  await record('session.login_failed', undefined, 5)
  await record('server.join', undefined, 5)
  await record('deployment.add', 8, 5)
  await write(test.db, 7, 5)
  await record('deployment.add', 7, 100)
  await createForgetAudit({ db: test.db, now: () => NOW }, { most: 40, batch: 10 })(signal)
  expect(await linesOf(test.db)).toEqual({
    'session.login_failed undefined': 5,
    'server.join undefined': 5,
    'deployment.add 8': 5,
    7: 5,
    'deployment.add 7': 20,
  })
})

it('searches a limited number of lines at a time', async () => {
  await using test = await openTestDatabase()
  await write(test.db, 1, 30)
  const found = await listAudit(test.db, { search: 'some.' }, 10)
  expect(found.map(({ action }) => action)).toEqual(Array.from({ length: 10 }, (_, line) => `some.${29 - line}`))
  expect(await listAudit(test.db, { search: 'some.5' }, 10)).toEqual([])
  expect(await listAudit(test.db, { search: 'some.5', before: found.at(-1)?.id ?? 0 }, 20)).toHaveLength(1)
})
