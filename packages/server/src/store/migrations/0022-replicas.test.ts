import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps keep one container', async () => {
  using old = await openOldDatabase(12)
  const { file } = old
  old.insert('app', { id: 1 })
  await old.migrateTo(22)
  expect(file.prepare('select replicas from app').all()).toEqual([{ replicas: 1 }])
})
