import { join } from 'node:path'
import type { Database as SqliteFile } from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Migration } from '../migrations/index.ts'
import { missingMigrations } from '../migrations/missing.ts'
import { writerDialect } from './driver.ts'

type Options = {
  migrations: readonly Migration[]
  /** Undefined if there is a copy already. */
  backupDir: string | undefined
  now: () => Date
}

function appliedVersion(file: SqliteFile): number {
  file.exec('create table if not exists schema_migration (version integer primary key, name text not null, applied_at text not null)')
  const row = file.prepare<[], { version: number | null }>('select max(version) as version from schema_migration').get()
  return row?.version ?? 0
}

/** Copies the database, then applies the missing migrations in order, in one transaction. Forward only: to go back, restore the backup. */
export async function migrate(file: SqliteFile, options: Options): Promise<void> {
  const current = appliedVersion(file)
  const missing = missingMigrations(options.migrations, current)
  const newest = missing.at(-1)?.version
  if (newest === undefined) return
  const at = options.now().toISOString()
  if (current > 0 && options.backupDir !== undefined)
    file.prepare('vacuum into ?').run(join(options.backupDir, `before-version-${newest}-${at.replaceAll(':', '')}.sqlite`))
  const db = new Kysely<unknown>({ dialect: writerDialect(file) })
  await db.transaction().execute(async (tx) => {
    for (const migration of missing) {
      await migration.up(tx)
      file.prepare('insert into schema_migration (version, name, applied_at) values (?, ?, ?)').run(migration.version, migration.name, at)
    }
  })
}
