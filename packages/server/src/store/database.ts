import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** A handle that writes. Only `Db.transaction` gives one, so a write outside a transaction does not compile. */
export type Tx = Transaction<Schema>

/** Reads go through the database or through an open transaction alike. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'fn' | 'executeQuery'>

type TransactionOptions = {
  /**
   * For what frees space, such as a stop or a deletion: on a full disk it is tried again with the room that is kept for it. The work may then
   * run more than once, so it does nothing but read and write rows.
   */
  mayUseReserve?: boolean
}

export type Db = Reader & {
  /**
   * The rows of a query with one parameter, which `key` replaces. They are kept until something is committed: until then every caller gets
   * the very same array, so nobody may change it.
   */
  cachedRead<Row>(query: CompiledQuery<Row>, key: string | number): readonly Readonly<Row>[]
  transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: TransactionOptions): Promise<Result>
}

export type StorageState = 'ok' | 'read_only' | 'unusable'

export type Database = {
  db: Db
  state(): StorageState
  /** Makes the reserve whole where there is plenty of room: at the start there may have been too little. */
  keepReserve(): void
  close(): Promise<void>
}
