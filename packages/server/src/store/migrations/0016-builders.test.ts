import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('existing apps keep their Dockerfile, and a plan is deleted with its deployment', async () => {
  using old = await openOldDatabase(12)
  const { file } = old
  file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
             git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
             template_name, created_at, updated_at)
             values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, '', '', '', '', '', 'rolling', 'no', '', '', '')`)
  await old.migrateTo(16)
  expect(file.prepare('select builder, start_command, release_command, build_args from app').all()).toEqual([
    { builder: 'auto', start_command: '', release_command: '', build_args: '{}' },
  ])
  expect(file.prepare("select name from pragma_table_info('deployment_plan') order by cid").all()).toEqual([
    { name: 'deployment_id' },
    { name: 'plan' },
  ])
})
