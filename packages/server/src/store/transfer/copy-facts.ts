/**
 * A copy of a database has this fact until the data directory belongs to it. Without it two databases could both be taken for the one that
 * counts after a copy was interrupted.
 */
export const UNFINISHED_COPY = 'unfinished_copy'

/** A PostgreSQL database whose data is in SQLite since: it would be an old state of the same instance. */
export const MOVED_AWAY = 'moved_away'

/** The source may have been a copy itself. */
export const MARK = 'insert into fact (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value'
