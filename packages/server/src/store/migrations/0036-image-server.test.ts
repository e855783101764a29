import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('nothing is made for other servers before it is needed, and there is only one of it', async () => {
  using old = await openOldDatabase(35)
  await old.migrateTo(36)
  expect(old.file.prepare('select * from image_server').all()).toEqual([])
  const row = { name: 'images', certificate: 'c', sealed_key: 'k', sealed_password: 'p' }
  old.insert('image_server', row)
  expect(() => old.insert('image_server', row)).toThrow('UNIQUE')
})
