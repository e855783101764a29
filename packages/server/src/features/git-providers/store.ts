import type { GitAccount } from '@berth/contract'
import type { Insertable, Updateable } from 'kysely'
import type { Ownership } from '../../domain/ownership.ts'
import type { AppRow, GitAccountRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { GitAccountTable } from '../../store/git-tables.ts'

/** `plain`: how many of its webhooks have a URL without https. */
type Counted = GitAccountRow & { apps: number; plain: number; plainApp: number }

const PLAIN_WARNING =
  'Webhooks from this host arrive over plain http, so others on the network can read and replay them. Set the dashboard domain in the settings; the webhooks then switch to https automatically.'

export function presentAccount(row: Counted): GitAccount {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    baseUrl: row.base_url,
    via: row.via,
    projectId: row.project_id,
    ownerId: row.created_by,
    status: row.status,
    error: row.error,
    warning: row.plain + row.plainApp > 0 ? PLAIN_WARNING : '',
    apps: row.apps,
    createdAt: row.created_at,
  }
}

function counted(db: Reader) {
  return db
    .selectFrom('git_account')
    .selectAll('git_account')
    .select((eb) =>
      eb
        .selectFrom('app')
        .select((apps) => apps.fn.countAll<number>().as('count'))
        .whereRef('app.git_provider_id', '=', 'git_account.id')
        .$asScalar()
        .$notNull()
        .as('apps'),
    )
    .select((eb) =>
      eb
        .selectFrom('git_hook')
        .select((hooks) => hooks.fn.countAll<number>().as('count'))
        .whereRef('git_hook.account_id', '=', 'git_account.id')
        .where('git_hook.url', 'like', 'http://%')
        .$asScalar()
        .$notNull()
        .as('plain'),
    )
    .select((eb) =>
      eb
        .selectFrom('github_app')
        .select((apps) => apps.fn.countAll<number>().as('count'))
        .whereRef('github_app.id', '=', 'git_account.github_app_id')
        .where('github_app.hook_url', 'like', 'http://%')
        .$asScalar()
        .$notNull()
        .as('plainApp'),
    )
}

/** Without a user: all accounts, for callers who can see everything. */
export async function listAccounts(db: Reader, userId: number | undefined): Promise<Counted[]> {
  const query = counted(db).orderBy('git_account.id')
  if (userId === undefined) return await query.execute()
  const projects = db.selectFrom('project_member').select('project_id').where('user_id', '=', userId)
  return await query.where((eb) => eb.or([eb('git_account.user_id', '=', userId), eb('git_account.project_id', 'in', projects)])).execute()
}

export async function listAccountsOfApp(db: Reader, appId: number): Promise<Counted[]> {
  return await counted(db).where('git_account.github_app_id', '=', appId).orderBy('git_account.id').execute()
}

export async function getAccount(db: Reader, id: number): Promise<Counted | undefined> {
  return await counted(db).where('git_account.id', '=', id).executeTakeFirst()
}

function ofBelonging(db: Reader, { userId, projectId }: Ownership) {
  return db.selectFrom('git_account').where((eb) => (projectId === null ? eb('user_id', '=', userId) : eb('project_id', '=', projectId)))
}

export async function countAccounts(db: Reader, belonging: Ownership): Promise<number> {
  const { count } = await ofBelonging(db, belonging)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function countAccountsAddedBy(db: Reader, userId: number): Promise<number> {
  const accounts = db.selectFrom('git_account').where('created_by', '=', userId)
  return (await accounts.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
}

/** The same identity on the same host, if it is already connected. */
export async function findSame(
  db: Reader,
  belonging: Ownership,
  identity: { baseUrl: string; hostId: string },
): Promise<GitAccountRow | undefined> {
  return await ofBelonging(db, belonging)
    .selectAll()
    .where('base_url', '=', identity.baseUrl)
    .where('host_id', '=', identity.hostId)
    .where('via', '=', 'token')
    .executeTakeFirst()
}

export async function insertAccount(tx: Tx, account: Insertable<GitAccountTable>): Promise<number> {
  const { id } = await tx.insertInto('git_account').values(account).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateAccount(tx: Tx, id: number, change: Updateable<GitAccountTable>): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('git_account').set(change).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteAccount(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('git_account').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function appsUsing(db: Reader, accountId: number): Promise<Pick<AppRow, 'id' | 'name' | 'project_id'>[]> {
  return await db.selectFrom('app').select(['id', 'name', 'project_id']).where('git_provider_id', '=', accountId).orderBy('id').execute()
}

/** Whether the app has deployed this commit. */
export async function wasDeployed(db: Reader, of: { appId: number; hash: string; besides?: number }): Promise<boolean> {
  const found = db
    .selectFrom('deployment')
    .select('id')
    .where('app_id', '=', of.appId)
    .where('commit_hash', '=', of.hash)
    .where('status', 'in', ['success', 'rolled_back'])
    .where('id', '!=', of.besides ?? 0)
  return (await found.executeTakeFirst()) !== undefined
}
