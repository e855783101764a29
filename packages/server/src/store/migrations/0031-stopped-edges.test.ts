import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('nobody has stopped the edge of a node that is there', async () => {
  using old = await openOldDatabase(30)
  old.insert('control_plane', { name: 'a', routes_seen: 4 })
  await old.migrateTo(31)
  expect(old.file.prepare('select name, routes_seen, edge_stopped from control_plane').all()).toEqual([
    { name: 'a', routes_seen: 4, edge_stopped: 0 },
  ])
})
