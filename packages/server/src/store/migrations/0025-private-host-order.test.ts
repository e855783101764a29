import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('private registries keep the order in which they were added', async () => {
  using old = await openOldDatabase(23)
  for (const host of ['c.test', 'a.test', 'b.test']) old.insert('private_host', { host })
  await old.migrateTo(26)
  expect(old.file.prepare('select host from private_host order by number').pluck().all()).toEqual(['c.test', 'a.test', 'b.test'])
})
