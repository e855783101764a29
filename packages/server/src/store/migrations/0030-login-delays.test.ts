import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('nobody has to wait because of logins before', async () => {
  using old = await openOldDatabase(29)
  await old.migrateTo(30)
  expect(old.file.prepare('select * from login_delay').all()).toEqual([])
  old.insert('login_delay', { slot: 7, failures: 1 })
  expect(() => old.insert('login_delay', { slot: 7, failures: 2 })).toThrow('UNIQUE')
})
