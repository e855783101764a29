import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('no order of the time before is counted', async () => {
  using old = await openOldDatabase(38)
  await old.migrateTo(39)
  expect(old.file.prepare('select * from certificate_order').all()).toEqual([])
  old.insert('certificate_order', { owner_id: 1, ordered_at: 't' })
  expect(old.file.prepare('select id, owner_id, ordered_at from certificate_order').all()).toEqual([
    { id: 1, owner_id: 1, ordered_at: 't' },
  ])
})
