import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('the ports of a node are unknown until it starts again', async () => {
  using old = await openOldDatabase(32)
  old.insert('control_plane', { name: 'a', edge_stopped: 1 })
  await old.migrateTo(33)
  expect(old.file.prepare('select name, edge_stopped, ports from control_plane').all()).toEqual([
    { name: 'a', edge_stopped: 1, ports: '[]' },
  ])
})
