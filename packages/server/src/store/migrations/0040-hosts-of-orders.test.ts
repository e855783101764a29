import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('orders of the time before still count, and are for no particular host', async () => {
  using old = await openOldDatabase(39)
  old.insert('certificate_order', { owner_id: 1, ordered_at: 't' })
  await old.migrateTo(40)
  expect(old.file.prepare('select owner_id, ordered_at, host from certificate_order').all()).toEqual([
    { owner_id: 1, ordered_at: 't', host: '' },
  ])
})
