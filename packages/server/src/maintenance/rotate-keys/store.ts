import BetterSqlite, { type Database as SqliteFile } from 'better-sqlite3'
import type { SecretBox } from '../../lib/secret-box.ts'
import { KEY_FACT } from '../../store/key-rotation.ts'
import type { SealedColumn } from './sealed-columns.ts'

type Boxes = { from: SecretBox; to: SecretBox; keyHash: string }

/** Seals everything again and ends all sessions, in one transaction. Returns the number of values. */
export function sealAnew(path: string, columns: readonly SealedColumn[], boxes: Boxes): number {
  const file = new BetterSqlite(path, { fileMustExist: true, timeout: 5000 })
  try {
    file.pragma('synchronous = FULL') // the old key is deleted after the commit, so it must have reached the disk
    const unknown = unknownColumns(file, columns)
    if (unknown.length > 0) throw new Error(`${unknown.join(', ')} would not be sealed again`)
    return file
      .transaction(() => {
        const sealed = columns.map((column) => sealColumn(file, column, boxes)).reduce((sum, count) => sum + count, 0)
        file.exec('delete from session')
        file
          .prepare('insert into fact (name, value) values (?, ?) on conflict (name) do update set value = excluded.value')
          .run(KEY_FACT, boxes.keyHash)
        return sealed
      })
      .immediate()
  } finally {
    file.close()
  }
}

function unknownColumns(file: SqliteFile, columns: readonly SealedColumn[]): string[] {
  const known = new Set(columns.map(({ table, column }) => `${table}.${column}`))
  const sql = `select t.name || '.' || c.name as name from sqlite_master t join pragma_table_info(t.name) c
                where t.type = 'table' and c.name like 'sealed%'`
  const found = file.prepare<[], { name: string }>(sql).all()
  return found.map(({ name }) => name).filter((name) => !known.has(name))
}

/** One row at a time: the settings of releases can be a megabyte each. Empty means that there is none. */
function sealColumn(file: SqliteFile, { table, column, about }: SealedColumn, { from, to }: Boxes): number {
  const ids = file.prepare<[], { number: number }>(`select rowid as number from ${table} where ${column} <> ''`).all()
  const read = file.prepare<[number], Record<string, string | number | null>>(`select * from ${table} where rowid = ?`)
  const write = file.prepare(`update ${table} set ${column} = ? where rowid = ?`)
  for (const { number } of ids) {
    const row = read.get(number) ?? {}
    write.run(to.seal(from.open(String(row[column]), about(row)), about(row)), number)
  }
  return ids.length
}
