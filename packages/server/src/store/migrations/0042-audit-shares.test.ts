import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('earlier lines take the share of the person who wrote them, or one of what nobody wrote', async () => {
  using old = await openOldDatabase(40)
  old.insert('audit', { actor_id: 7, action: 'app.create' })
  old.insert('audit', { actor_id: 7, action: 'deployment.add' })
  old.insert('audit', { actor_id: null, action: 'session.login_failed' })
  old.insert('audit', { actor_id: null, action: 'deployment.add' })
  old.insert('audit', { actor_id: null, action: 'server.join' })
  await old.migrateTo(42)
  const shares = old.file.prepare('select share from audit order by id').pluck().all()
  expect(shares).toEqual(['person:7', 'person:7', 'failed logins', 'automatic:', 'berth'])
})
