import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('keeps sessions and the audit log, and finds what is to be forgotten by an index', async () => {
  using old = await openOldDatabase(19)
  const { file } = old
  old.insert('session', { id: 'a', user_id: 1, expires_at: '2026-01-01T00:00:00.000Z' })
  old.insert('audit', { id: 1, actor_id: null, at: '2026-01-01T00:00:00.000Z' })
  old.insert('audit', { id: 2, actor_id: 7, at: '2026-01-01T00:00:00.000Z' })
  await old.migrateTo(20)
  expect(file.prepare('select id from session').pluck().all()).toEqual(['a'])
  expect(file.prepare('select id from audit').pluck().all()).toEqual([1, 2])
  const planOf = (sql: string) => file.prepare(`explain query plan ${sql}`).all()
  expect(planOf(`delete from session where expires_at <= '2026'`)).toMatchObject([{ detail: expect.stringContaining('session_expiry') }])
  expect(planOf('select id from audit where actor_id = 7 order by id desc limit 1 offset 5')).toMatchObject([
    { detail: expect.stringContaining('audit_actor') },
  ])
})
