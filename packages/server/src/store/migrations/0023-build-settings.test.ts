import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps fetch no submodules and no Git LFS files, and a build secret is deleted with its app', async () => {
  using old = await openOldDatabase(20)
  const { file } = old
  file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
             git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
             template_name, created_at, updated_at)
             values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, '', '', '', '', '', 'rolling', 'no', '', '', '')`)
  await old.migrateTo(23)
  expect(file.prepare('select submodules, lfs from app').all()).toEqual([{ submodules: 0, lfs: 0 }])
  file.exec("insert into build_secret values (1, 'TOKEN', 'sealed')")
  expect(() => file.exec("insert into build_secret values (1, 'TOKEN', 'sealed')")).toThrow(/UNIQUE/)
  file.pragma('foreign_keys = ON')
  file.exec('delete from app where id = 1')
  expect(file.prepare('select * from build_secret').all()).toEqual([])
})
