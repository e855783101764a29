import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('apps that are there run no ready image, and a registry has one owner and is there once for each host', async () => {
  using old = await openOldDatabase(16)
  const { file } = old
  file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
             git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
             template_name, created_at, updated_at)
             values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, '', '', '', '', '', 'rolling', 'no', '', '', '')`)
  await old.migrateTo(19)
  expect(file.prepare('select builder, image from app').all()).toEqual([{ builder: 'auto', image: '' }])
  const add = (userId: number | null, projectId: number | null) =>
    file
      .prepare(
        `insert into registry (host, username, sealed_password, user_id, project_id, created_by, error, created_at, updated_at)
         values ('ghcr.io', 'ada', '', ?, ?, null, '', '', '')`,
      )
      .run(userId, projectId)
  add(1, null)
  add(null, 1)
  expect(() => add(1, null)).toThrow(/UNIQUE/)
  expect(() => add(null, 1)).toThrow(/UNIQUE/)
  expect(() => add(1, 1)).toThrow(/CHECK/)
})
