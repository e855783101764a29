import { createHash } from 'node:crypto'

export type Value = string | number | Buffer | null
/** The values of a row, in the order of the names of their columns. */
export type Row = readonly Value[]
export type TableSum = { readonly rows: number; readonly checksum: string }

const BITS = 256n

/**
 * The number of rows and the sum of their hashes, which does not depend on the order in which a database gives them. Each hash is of a form
 * that both databases can hold: PostgreSQL has no NUL in texts.
 */
export function createTableSum() {
  let rows = 0
  let sum = 0n
  return {
    add(row: Row): void {
      rows += 1
      const hash = createHash('sha256')
        .update(JSON.stringify(row.map(canonical)))
        .digest('hex')
      sum = BigInt.asUintN(Number(BITS), sum + BigInt(`0x${hash}`))
    },
    end: (): TableSum => ({ rows, checksum: sum.toString(16).padStart(Number(BITS) / 4, '0') }),
  }
}

/** A text begins with a letter that no other value begins with. */
function canonical(value: Value): string | number | null {
  if (typeof value === 'string') return `t${value.replaceAll('\0', '\uFFFD')}`
  if (Buffer.isBuffer(value)) return `b${value.toString('base64')}`
  return value
}
