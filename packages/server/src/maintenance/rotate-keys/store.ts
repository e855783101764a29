import { sql } from 'kysely'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Tx } from '../../store/database.ts'
import { columnsLike, rowAddress } from '../../store/dialect.ts'
import { writeFact } from '../../store/facts.ts'
import { KEY_FACT } from '../../store/key-rotation.ts'
import type { SealedColumn } from './sealed-columns.ts'

type Boxes = { from: SecretBox; to: SecretBox; keyHash: string }

/**
 * Seals everything again and ends all sessions, in one transaction. Returns the number of values. The old key is deleted after the commit,
 * which has reached the disk by then.
 */
export async function sealAnew(db: Db, columns: readonly SealedColumn[], boxes: Boxes): Promise<number> {
  return await db.transaction(async (tx) => {
    const known = new Set(columns.map(({ table, column }) => `${table}.${column}`))
    const unknown = (await columnsLike(tx, 'sealed%')).filter((name) => !known.has(name))
    if (unknown.length > 0) throw new Error(`${unknown.join(', ')} would not be sealed again`)
    let sealed = 0
    for (const column of columns) sealed += await sealColumn(tx, column, boxes)
    await tx.deleteFrom('session').execute()
    await writeFact(tx, KEY_FACT, boxes.keyHash)
    return sealed
  })
}

type Row = Record<string, string | number | null>

/** One row at a time: the settings of releases can be a megabyte each. Empty means that there is none. */
async function sealColumn(tx: Tx, { table, column, about }: SealedColumn, { from, to }: Boxes): Promise<number> {
  const [name, sealed, at] = [sql.table(table), sql.ref(column), rowAddress(tx)]
  const { rows: found } = await sql<{ address: string | number }>`select ${at} as address from ${name} where ${sealed} <> ''`.execute(tx)
  for (const { address } of found) {
    const row = (await sql<Row>`select * from ${name} where ${at} = ${address}`.execute(tx)).rows[0] ?? {}
    const value = to.seal(from.open(String(row[column]), about(row)), about(row))
    await sql`update ${name} set ${sealed} = ${value} where ${at} = ${address}`.execute(tx)
  }
  return found.length
}
