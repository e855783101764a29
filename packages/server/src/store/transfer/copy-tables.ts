import type { Source, Tables, Target } from './side.ts'
import { createTableSum, type TableSum } from './table-sum.ts'

export type CopiedTable = TableSum & { readonly table: string }

/** The copy differs from its source, or the tables are not the same ones. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed'
}

/** Copies every row, reads the copy back, and compares the number of rows and the checksum of each table. */
export async function copyTables(source: Source, target: Target): Promise<CopiedTable[]> {
  const tables = await target.tables()
  refuseOtherTables(await source.tables(), tables)
  const copied: CopiedTable[] = []
  for (const [table, columns] of tables) {
    const sum = createTableSum()
    for await (const rows of source.rows(table, columns)) {
      for (const row of rows) sum.add(row)
      await target.insert(table, columns, rows)
    }
    copied.push({ table, ...sum.end() })
  }
  await target.setLastIds(await source.lastIds())
  for (const { table, rows, checksum } of copied) {
    const found = await sumOf(target, table, tables.get(table) ?? [])
    if (found.rows !== rows) throw new CopyFailed(`the copy of the table ${table} has ${found.rows} rows instead of ${rows}`)
    if (found.checksum !== checksum) throw new CopyFailed(`the copy of the table ${table} has another checksum`)
  }
  return copied
}

export async function sumOf(side: Source, table: string, columns: readonly string[]): Promise<TableSum> {
  const sum = createTableSum()
  for await (const rows of side.rows(table, columns)) for (const row of rows) sum.add(row)
  return sum.end()
}

/** Both sides must have the same tables with the same columns, since both were made by the same migrations. */
function refuseOtherTables(source: Tables, target: Tables): void {
  for (const [table, columns] of target)
    if (source.get(table)?.join() !== columns.join()) throw new CopyFailed(`the table ${table} has other columns than this version expects`)
  for (const table of source.keys()) if (!target.has(table)) throw new CopyFailed(`this version does not know the table ${table}`)
}
