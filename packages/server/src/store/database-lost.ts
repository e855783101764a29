/** The database server does not answer, or has ended the connection. A write that was under way may have been done or not. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost'
  readonly code = 'DATABASE_LOST'

  constructor(cause: unknown) {
    super(`the database does not respond: ${cause instanceof Error ? cause.message || String(cause) : String(cause)}`, { cause })
  }
}
