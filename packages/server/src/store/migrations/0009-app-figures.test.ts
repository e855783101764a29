import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('an older database gets an empty table of app metrics', async () => {
  using old = await openOldDatabase(8)
  await old.migrateTo(9)
  expect(old.file.prepare('select count(*) as rows from app_figure').get()).toEqual({ rows: 0 })
})
