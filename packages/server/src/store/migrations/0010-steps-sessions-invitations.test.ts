import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('a deployment from before has no steps, and a session stays without telling where it came from', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  try {
    file.pragma('foreign_keys = OFF') // the app and the user have no part in it
    const now = () => new Date(0)
    await migrate(file, { migrations: migrations.filter(({ version }) => version < 10), backupDir: directory, now })
    file.prepare(`insert into session (id, user_id, created_at, expires_at) values ('s', 1, 'then', 'later')`).run()
    file
      .prepare(
        `insert into deployment (app_id, number, status, stage, progress, commit_hash, commit_message, commit_author, error_message, "trigger",
         image, sealed_config, is_active, attempts, duration, created_at, updated_at)
         values (1, 1, 'success', 'completed', 100, '', '', '', '', 'manual', '', '', 1, 1, 0, '', '')`,
      )
      .run()
    await migrate(file, { migrations, backupDir: directory, now })
    expect(file.prepare('select steps from deployment').all()).toEqual([{ steps: '[]' }])
    expect(file.prepare('select id, address, client from session').all()).toEqual([{ id: 's', address: '', client: '' }])
    expect(file.prepare('select count(*) as count from invitation').all()).toEqual([{ count: 0 }])
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
