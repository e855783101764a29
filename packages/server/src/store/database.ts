import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** A handle that writes. Only `Db.transaction` gives one, so a write outside a transaction does not compile. */
export type Tx = Transaction<Schema>

/** Reads work on the database and on an open transaction alike. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'fn' | 'executeQuery' | 'getExecutor'>

type TransactionOptions = {
  /**
   * For work that frees space, such as a stop or a deletion: on a full disk it is retried with reserved space. It may then run more than
   * once, so it must only read and write rows. `part` is for work that users can repeat without freeing anything: the rest of the reserve
   * stays for the owner, admins and deletions.
   */
  mayUseReserve?: boolean | 'part'
}

export type Db = Reader & {
  /**
   * The rows of a query with one parameter, which `key` replaces. SQLite caches them until the next commit: until then every caller gets
   * the same array, so nobody may modify it.
   */
  cachedRead<Row>(query: CompiledQuery<Row>, key: string | number): Promise<readonly Readonly<Row>[]>
  transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: TransactionOptions): Promise<Result>
}

export type StorageState = 'ok' | 'read_only' | 'unusable'

export type Database = {
  db: Db
  state(): StorageState
  /** Restores the reserve to its full size if there is enough space: on startup there may have been too little. */
  keepReserve(): void
  close(): Promise<void>
}
