import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('nothing is suggested for a deployment that failed before', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  try {
    file.pragma('foreign_keys = OFF') // the app has no part in it
    const now = () => new Date(0)
    await migrate(file, { migrations: migrations.filter(({ version }) => version < 8), backupDir: directory, now })
    file
      .prepare(
        `insert into deployment (app_id, number, status, stage, progress, commit_hash, commit_message, commit_author, error_message, "trigger",
         image, sealed_config, is_active, attempts, duration, created_at, updated_at)
         values (1, 1, 'failed', '', 0, '', '', '', 'It listens on 9999', 'manual', '', '', 0, 1, 0, '', '')`,
      )
      .run()
    await migrate(file, { migrations, backupDir: directory, now })
    expect(file.prepare('select error_message, failure from deployment').all()).toEqual([
      { error_message: 'It listens on 9999', failure: '' },
    ])
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
