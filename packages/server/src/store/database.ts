import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** A handle that writes. Only `Db.transaction` gives one, so a write outside a transaction does not compile. */
export type Tx = Transaction<Schema>

/** Reads go through the database or through an open transaction alike. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'fn' | 'executeQuery'>

export type Db = Reader & {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

export type StorageState = 'ok' | 'read_only' | 'unusable'

export type Database = {
  db: Db
  state(): StorageState
  close(): Promise<void>
}
