import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('an app from before placement may run anywhere', async () => {
  using old = await openOldDatabase(34)
  old.insert('app', { id: 1, name: 'shop' })
  await old.migrateTo(35)
  expect(old.file.prepare('select name, placement from app').all()).toEqual([{ name: 'shop', placement: '' }])
})
