import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('jobs that wait have not been claimed by anybody', async () => {
  using old = await openOldDatabase(25)
  old.insert('job', { id: 1, attempts: 0 })
  await old.migrateTo(26)
  expect(old.file.prepare('select id, fence from job').all()).toEqual([{ id: 1, fence: 0 }])
  expect(old.file.prepare('select * from control_plane').all()).toEqual([])
})
