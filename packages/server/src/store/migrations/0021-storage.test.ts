import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('apps that are there keep nothing yet, and an app has one file at each path', async () => {
  using old = await openOldDatabase(20)
  const { file } = old
  old.insert('app', { id: 1, name: 'shop' })
  await old.migrateTo(21)
  expect(file.prepare('select volumes from app').pluck().all()).toEqual(['[]'])
  old.insert('app_file', { id: 1, app_id: 1, path: '/a' })
  old.insert('app_file', { id: 2, app_id: 2, path: '/a' })
  expect(() => old.insert('app_file', { id: 3, app_id: 1, path: '/a' })).toThrow(/UNIQUE/)
})
