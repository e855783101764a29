import type { Insertable, Selectable } from 'kysely'
import { personBehind } from '../../domain/person-behind.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { GitHookTable } from '../../store/git-tables.ts'
import { type Placeholders, statement } from '../../store/statement.ts'

export type HookRow = Selectable<GitHookTable>
export type WantedHook = { accountId: number; repositoryId: string; repository: string; person: number }

/** Every repository that an app deploys from with a token account. A GitHub App has its own webhook. */
export async function listWantedHooks(db: Reader): Promise<WantedHook[]> {
  return await db
    .selectFrom('app')
    .innerJoin('git_account', 'git_account.id', 'app.git_provider_id')
    .select([
      'git_account.id as accountId',
      personBehind.as('person'),
      'app.git_repository_id as repositoryId',
      (eb) => eb.fn.max('app.git_repository').as('repository'),
    ])
    .where('git_account.via', '=', 'token')
    .where('app.git_repository_id', '!=', '')
    .groupBy(['git_account.id', 'git_account.created_by', 'app.git_repository_id'])
    .execute()
}

export async function listHooks(db: Reader): Promise<(HookRow & { person: number })[]> {
  return await db
    .selectFrom('git_hook')
    .innerJoin('git_account', 'git_account.id', 'git_hook.account_id')
    .selectAll('git_hook')
    .select(personBehind.as('person'))
    .execute()
}

const findHooks = statement((db: Reader, { accountId, repositoryId }: Placeholders<{ accountId: number; repositoryId: string }>) =>
  db.selectFrom('git_hook').selectAll().where('account_id', '=', accountId).where('repository_id', '=', repositoryId),
)

export async function findHook(db: Reader, accountId: number, repositoryId: string): Promise<HookRow | undefined> {
  return (await findHooks(db, { accountId, repositoryId }))[0]
}

/** Whether its webhook was registered with the account's secret. */
export async function hasSharedSecret(db: Reader, accountId: number, repositoryId: string): Promise<boolean> {
  return (await findHook(db, accountId, repositoryId))?.sealed_secret === ''
}

export async function hasSharedSecrets(db: Reader): Promise<boolean> {
  return (await db.selectFrom('git_hook').select('account_id').where('sealed_secret', '=', '').executeTakeFirst()) !== undefined
}

export async function listHooksOf(db: Reader, accountId: number): Promise<HookRow[]> {
  return await db.selectFrom('git_hook').selectAll().where('account_id', '=', accountId).execute()
}

export async function saveHook(tx: Tx, hook: Insertable<GitHookTable>): Promise<void> {
  await tx
    .insertInto('git_hook')
    .values(hook)
    .onConflict((conflict) => conflict.columns(['account_id', 'repository_id']).doUpdateSet(hook))
    .execute()
}

/** The next run registers them, and replaces what the host has of them. */
export async function registerAgain(tx: Tx, accountId: number, at: Date): Promise<void> {
  const due = { url: '', error: '', failures: 0, next_try_at: at.toISOString() }
  await tx.updateTable('git_hook').set(due).where('account_id', '=', accountId).execute()
}

export async function deleteHook(tx: Tx, hook: Pick<HookRow, 'account_id' | 'repository_id'>): Promise<void> {
  await tx.deleteFrom('git_hook').where('account_id', '=', hook.account_id).where('repository_id', '=', hook.repository_id).execute()
}
