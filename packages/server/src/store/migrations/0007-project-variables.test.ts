import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('projects that are there get room for variables, which go with them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  const migrateTo = async (version: number) => {
    const wanted = migrations.filter((migration) => migration.version <= version)
    await migrate(file, { migrations: wanted, backupDir: directory, now: () => new Date(0) })
  }
  try {
    await migrateTo(6)
    file.pragma('foreign_keys = ON')
    file.exec(`insert into user (id, email, password_hash, role, created_at) values (1, 'a@example.test', '', 'owner', '')`)
    file.exec(`insert into project (id, name, slug, description, tags, owner_id, created_at, updated_at)
               values (1, 'one', 'one', '', '', 1, '', ''), (2, 'two', 'two', '', '', 1, '', '')`)
    await migrateTo(7)
    const add = file.prepare(
      `insert into project_variable (project_id, key, sealed_value, created_at, updated_at) values (?, ?, 'sealed', '', '')`,
    )
    add.run(1, 'A')
    add.run(2, 'A')
    expect(() => add.run(1, 'A')).toThrow(/UNIQUE/)
    expect(() => add.run(3, 'A')).toThrow(/FOREIGN KEY/)
    file.exec('delete from project where id = 1')
    expect(file.prepare('select project_id from project_variable').pluck().all()).toEqual([2])
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
