import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('apps that are there are deployed by every push, and an account has each delivery once', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  const migrateTo = async (version: number) => {
    const wanted = migrations.filter((migration) => migration.version <= version)
    await migrate(file, { migrations: wanted, backupDir: directory, now: () => new Date(0) })
  }
  try {
    file.pragma('foreign_keys = OFF') // the project and the account have no part in it
    await migrateTo(11)
    file.exec(`insert into app (id, project_id, name, slug, description, app_type, port, status, status_reason, wanted, created_by,
               git_repository, git_branch, git_clone_url, root_directory, healthcheck_path, deployment_strategy, restart_policy,
               template_name, created_at, updated_at)
               values (1, 1, 'app', 'app', '', 'web', 80, 'stopped', '', 'running', 1, '', '', '', '', '', 'rolling', 'no', '', '', '')`)
    await migrateTo(12)
    expect(file.prepare('select auto_deploy, watch_paths from app').all()).toEqual([{ auto_deploy: 1, watch_paths: '[]' }])
    const add = file.prepare(
      `insert into git_delivery (account_id, delivery, provider, event, repository, branch, commit_hash, result, reason, headers, push,
       received_at, body) values (?, 'd', 'github', 'push', '', '', '', 'ignored', '', '{}', '', '', x'')`,
    )
    add.run(1)
    add.run(2)
    expect(() => add.run(1)).toThrow(/UNIQUE/)
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
