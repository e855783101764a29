import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('a database of before gets an empty table of figures', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  try {
    const now = () => new Date(0)
    await migrate(file, { migrations: migrations.filter(({ version }) => version < 9), backupDir: directory, now })
    await migrate(file, { migrations, backupDir: directory, now })
    expect(file.prepare('select count(*) as rows from app_figure').get()).toEqual({ rows: 0 })
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
