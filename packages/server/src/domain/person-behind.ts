import { sql } from 'kysely'

/**
 * Who takes the turns of a git account, in a query of `git_account`: the person who added it, to whatever project. One whose person is gone
 * has turns of its own.
 */
export const personBehind = sql<number>`coalesce(git_account.created_by, -git_account.id)`
