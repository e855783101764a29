import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('no outage is known of the time before', async () => {
  using old = await openOldDatabase(36)
  await old.migrateTo(37)
  expect(old.file.prepare('select * from server_outage').all()).toEqual([])
  old.insert('server_outage', { server_id: 's', server_name: 'n2', lost_at: 't', containers: '[]', moved: 0 })
  expect(old.file.prepare('select id, ended_at from server_outage').all()).toEqual([{ id: 1, ended_at: null }])
})
