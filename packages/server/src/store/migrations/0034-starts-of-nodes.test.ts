import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('when a node was started is unknown until it starts again', async () => {
  using old = await openOldDatabase(33)
  old.insert('control_plane', { name: 'a', ports: '[80]' })
  await old.migrateTo(34)
  expect(old.file.prepare('select name, ports, started_at from control_plane').all()).toEqual([
    { name: 'a', ports: '[80]', started_at: '' },
  ])
})
