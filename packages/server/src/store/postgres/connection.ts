import pg from 'pg'
import { errorCode } from '../../lib/error-code.ts'
import { DatabaseLost } from '../database-lost.ts'

/** How long a new connection and a single statement may take. Longer than any of ours, and shorter than anybody waits. */
const CONNECT_WITHIN_MS = 5000
const ANSWER_WITHIN_MS = 30_000
const OID = { bool: 16, int8: 20, numeric: 1700 }

/** As SQLite gives them: every number as a number, and a boolean as 0 or 1. */
function createTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(OID.int8, Number)
  types.setTypeParser(OID.numeric, Number)
  types.setTypeParser(OID.bool, (text) => (text === 't' ? 1 : 0))
  return types
}

/** `sslmode` and its relatives mean what they mean to libpq, the library of PostgreSQL's own programs. */
export function connectionOptions(url: string, { isPatient = false } = {}): pg.PoolConfig {
  return {
    connectionString: `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`,
    types: createTypes(),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'berth',
    ...(!isPatient && { query_timeout: ANSWER_WITHIN_MS }),
  }
}

/**
 * A process that stopped in the middle of a transaction must not hold up others, and the server must notice soon that a machine is gone. What
 * was answered is on its disk, even if it is set up to save that time.
 */
const SESSION = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'; set idle_in_transaction_session_timeout = '60s'; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3; set client_min_messages = 'warning'`

export async function connect(url: string, options?: { isPatient?: boolean }): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url, options))
  client.on('error', () => undefined) // whoever uses the connection next gets the error
  try {
    await client.connect()
    await client.query(SESSION)
    return client
  } catch (cause) {
    await client.end().catch(() => undefined)
    throw new DatabaseLost(cause)
  }
}

/** Of the server: it stops or starts, has no place for another connection, has no space, or only reads since another one took over. */
const LOST_STATES = /^(08|57P0|53|25006|58)/
/** Of the system. */
const LOST_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']
/** Of the library, which gives them no code. */
const LOST_WORDS = /^(Connection terminated|Client (has|was)|timeout e|Query read timeout|Cannot use a pool|Connection ended)/

export function isLost(cause: unknown): boolean {
  if (cause instanceof DatabaseLost) return true
  const code = errorCode(cause)
  if (code !== undefined) return LOST_CODES.includes(code) || LOST_STATES.test(code)
  return cause instanceof Error && LOST_WORDS.test(cause.message)
}
