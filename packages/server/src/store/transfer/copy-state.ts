import type pg from 'pg'
import { StartRefused } from '../../lib/start-refused.ts'
import { appliedVersion } from '../postgres/migrate.ts'
import { withConnection } from '../postgres/open.ts'
import { MOVED_AWAY, UNFINISHED_COPY } from './copy-facts.ts'

export type CopyState = {
  /** Undefined if no Berth has used this database yet. */
  readonly instance: string | undefined
  readonly isUnfinished: boolean
  readonly movedAt: string | undefined
}

export async function readCopyState(client: pg.Client): Promise<CopyState> {
  if ((await appliedVersion(client)) === 0) return { instance: undefined, isUnfinished: false, movedAt: undefined }
  const { rows } = await client.query<{ name: string; value: string }>('select name, value from fact where name = any($1)', [
    ['instance_id', UNFINISHED_COPY, MOVED_AWAY],
  ])
  const fact = (wanted: string) => rows.find(({ name }) => name === wanted)?.value
  return { instance: fact('instance_id'), isUnfinished: fact(UNFINISHED_COPY) !== undefined, movedAt: fact(MOVED_AWAY) }
}

/** Gives the instance of the database, unless it is one that must not be started from. */
export async function usableInstance(url: string, ofDirectory: string | undefined): Promise<string | undefined> {
  const { instance, isUnfinished, movedAt } = await withConnection(url, readCopyState)
  if (movedAt !== undefined)
    throw new StartRefused(
      `The data in the database of BERTH_DATABASE_URL was moved to SQLite at ${movedAt}. Unset BERTH_DATABASE_URL. If the move was interrupted, run migrate-database sqlite again first.`,
    )
  if (isUnfinished && ofDirectory !== instance)
    throw new StartRefused(
      'The database of BERTH_DATABASE_URL has a copy that was not finished. Run migrate-database postgres or restore again, or use an empty database.',
    )
  return instance
}
