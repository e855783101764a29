import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('an account is deleted with its user or project, and apps lose the reference to it', async () => {
  using old = await openOldDatabase(10)
  const { file } = old
  file.pragma('foreign_keys = ON')
  file.exec(`insert into user (id, email, password_hash, role, created_at)
             values (1, 'a@example.test', '', 'owner', ''), (2, 'b@example.test', '', 'user', '')`)
  file.exec(`insert into project (id, name, slug, description, tags, owner_id, created_at, updated_at)
             values (1, 'one', 'one', '', '', 1, '', ''), (2, 'two', 'two', '', '', 1, '', '')`)
  file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
             git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
             template_name, created_at, updated_at)
             values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, 'o/r', '', 'https://host.test/o/r.git', '', '',
             'rolling', 'no', '', '', '')`)
  await old.migrateTo(11)
  const add = file.prepare(
    `insert into git_account (id, provider, via, name, base_url, user_id, project_id, login, host_id, sealed_token, sealed_secret,
     status, error, created_at, updated_at) values (?, 'github', 'token', '', '', ?, ?, '', '', '', '', 'ok', '', '', '')`,
  )
  add.run(1, 2, null)
  add.run(2, null, 2)
  expect(() => add.run(3, 2, 2)).toThrow(/CHECK/)
  expect(() => add.run(3, null, null)).toThrow(/CHECK/)
  file.exec(`update app set git_provider_id = 1, git_repository_id = '7'`)
  file.exec('delete from user where id = 2')
  expect(file.prepare('select git_provider_id, git_repository_id, git_clone_url from app').all()).toEqual([
    { git_provider_id: null, git_repository_id: '', git_clone_url: 'https://host.test/o/r.git' },
  ])
  file.exec('delete from project where id = 2')
  expect(file.prepare('select id from git_account').all()).toEqual([])
})
