import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('no image is known as private at first, and those of a project go with it', async () => {
  using old = await openOldDatabase(28)
  const { file } = old
  for (const id of [1, 2]) old.insert('project', { id })
  await old.migrateTo(32)
  expect(file.prepare('select * from private_image').all()).toEqual([])
  file.pragma('foreign_keys = ON')
  for (const project_id of [1, 2]) old.insert('private_image', { digest: 'sha256:a', project_id, repository: 'r', number: project_id })
  file.prepare('delete from project where id = 1').run()
  expect(file.prepare('select project_id from private_image').pluck().all()).toEqual([2])
})
