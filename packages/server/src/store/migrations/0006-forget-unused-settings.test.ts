import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { migrations } from './index.ts'

it('what nobody can start again loses its settings, and everything else keeps them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-migrate-'))
  const file = new BetterSqlite(join(directory, 'some.sqlite'))
  const migrateTo = async (version: number) => {
    const wanted = migrations.filter((migration) => migration.version <= version)
    await migrate(file, { migrations: wanted, backupDir: directory, now: () => new Date(0) })
  }
  try {
    await migrateTo(5)
    file.pragma('foreign_keys = OFF')
    const columns = file.prepare<[], { name: string }>('pragma table_info(deployment)').all()
    const given = ['id', 'number', 'app_id', 'status', 'is_active', 'image', 'main_service', 'sealed_config']
    const others = columns.map(({ name }) => name).filter((name) => !given.includes(name))
    const names = [...given, ...others].map((name) => `"${name}"`).join(', ')
    const insert = file.prepare(
      `insert into deployment (${names}) values (?, ?, ?, ?, ?, ?, ?, 'sealed', ${others.map(() => '0').join(', ')})`,
    )
    const rows: [status: string, isActive: number, image: string, mainService: string][] = [
      ['failed', 0, 'i', ''],
      ['stopped', 0, '', ''],
      ['success', 0, '', ''],
      ['rolled_back', 0, '', ''],
      ['success', 1, '', ''],
      ['success', 0, 'i', ''],
      ['rolled_back', 0, 'i', ''],
      ['success', 0, '', 'web'],
      ['pending', 0, '', ''],
      ['deploying', 0, 'i', ''],
    ]
    for (const [index, row] of rows.entries()) insert.run(index + 1, index + 1, index + 1, ...row)
    await migrateTo(6)
    const kept = file.prepare('select sealed_config from deployment order by id').pluck().all()
    expect(kept).toEqual(['', '', '', '', 'sealed', 'sealed', 'sealed', 'sealed', 'sealed', 'sealed'])
  } finally {
    file.close()
    rmSync(directory, { recursive: true })
  }
})
