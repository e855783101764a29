import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('of the time before it is not decided where the data of an app is, nothing moves, and nothing is left on other servers', async () => {
  using old = await openOldDatabase(37)
  await old.migrateTo(38)
  expect(old.file.prepare('select * from app_data').all()).toEqual([])
  for (const table of ['left_volume', 'data_move']) expect(old.file.prepare(`select * from ${table}`).all()).toEqual([])
})
