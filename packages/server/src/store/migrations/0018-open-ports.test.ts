import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('a port that a release opened by itself keeps its owner, and nobody has asked for it', async () => {
  using old = await openOldDatabase(17)
  old.insert('published_port', { port: 5432, protocol: 'tcp', app_id: 1 })
  await old.migrateTo(18)
  expect(old.file.prepare('select port, app_id, service, target, address, is_wanted from published_port').all()).toEqual([
    { port: 5432, app_id: 1, service: '', target: 0, address: '', is_wanted: 0 },
  ])
})
