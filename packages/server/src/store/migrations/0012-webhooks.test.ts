import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps are deployed by every push, and an account stores each delivery once', async () => {
  using old = await openOldDatabase(11)
  const { file } = old
  file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
             git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
             template_name, created_at, updated_at)
             values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, '', '', '', '', '', 'rolling', 'no', '', '', '')`)
  await old.migrateTo(12)
  expect(file.prepare('select auto_deploy, watch_paths from app').all()).toEqual([{ auto_deploy: 1, watch_paths: '[]' }])
  const add = file.prepare(
    `insert into git_delivery (account_id, delivery, provider, event, repository, branch, commit_hash, result, reason, headers, push,
     received_at, body) values (?, 'd', 'github', 'push', '', '', '', 'ignored', '', '{}', '', '', x'')`,
  )
  add.run(1)
  add.run(2)
  expect(() => add.run(1)).toThrow(/UNIQUE/)
})
