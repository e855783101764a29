import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing projects can have variables, which are deleted with them', async () => {
  using old = await openOldDatabase(6)
  const { file, insert } = old
  file.pragma('foreign_keys = ON')
  insert('user', { id: 1, role: 'owner' })
  insert('project', { id: 1, owner_id: 1 })
  insert('project', { id: 2, owner_id: 1 })
  await old.migrateTo(7)
  const add = (projectId: number) => insert('project_variable', { project_id: projectId, key: 'A' })
  add(1)
  add(2)
  expect(() => add(1)).toThrow(/UNIQUE/)
  expect(() => add(3)).toThrow(/FOREIGN KEY/)
  file.exec('delete from project where id = 1')
  expect(file.prepare('select project_id from project_variable').pluck().all()).toEqual([2])
})
