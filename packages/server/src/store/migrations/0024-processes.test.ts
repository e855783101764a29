import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps and releases have no other processes', async () => {
  using old = await openOldDatabase(20)
  const { file } = old
  old.insert('app', { id: 1 })
  old.insert('deployment', { id: 1, app_id: 1, image: '' })
  await old.migrateTo(24)
  expect(file.prepare('select processes from app union all select processes from deployment').all()).toEqual([
    { processes: '[]' },
    { processes: '[]' },
  ])
})
