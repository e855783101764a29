import type { Row } from './table-sum.ts'

/** Each table with the names of its columns, in alphabetical order. */
export type Tables = ReadonlyMap<string, readonly string[]>

/** A database to copy from, which does not change meanwhile. */
export type Source = {
  tables: () => Promise<Tables>
  /** In batches that fit into memory. */
  rows: (table: string, columns: readonly string[]) => AsyncIterable<readonly Row[]>
  /** The last id that each table gave to a row, which may be deleted: ids are never given twice. */
  lastIds: () => Promise<ReadonlyMap<string, number>>
}

/** A database with all tables and no rows. */
export type Target = Source & {
  insert: (table: string, columns: readonly string[], rows: readonly Row[]) => Promise<void>
  setLastIds: (ids: ReadonlyMap<string, number>) => Promise<void>
}

export const ROWS_AT_ONCE = 100

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function listed(names: readonly string[]): string {
  return names.map(quoted).join(', ')
}
