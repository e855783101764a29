import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps fetch no submodules and no Git LFS files, and a build secret is deleted with its app', async () => {
  using old = await openOldDatabase(20)
  const { file } = old
  old.insert('app', { id: 1 })
  await old.migrateTo(23)
  expect(file.prepare('select submodules, lfs from app').all()).toEqual([{ submodules: 0, lfs: 0 }])
  file.exec("insert into build_secret values (1, 'TOKEN', 'sealed')")
  expect(() => file.exec("insert into build_secret values (1, 'TOKEN', 'sealed')")).toThrow(/UNIQUE/)
  file.pragma('foreign_keys = ON')
  file.exec('delete from app where id = 1')
  expect(file.prepare('select * from build_secret').all()).toEqual([])
})
