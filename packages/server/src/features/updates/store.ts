import BetterSqlite from 'better-sqlite3'

/** Of a database that no server uses. */
export function schemaVersionOf(path: string): number {
  const file = new BetterSqlite(path, { readonly: true, fileMustExist: true })
  try {
    return file.prepare<[], { version: number | null }>('select max(version) as version from schema_migration').get()?.version ?? 0
  } finally {
    file.close()
  }
}
