import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../../store/database.ts'
import type { GitDeliveryTable } from '../../store/git-tables.ts'
import { type Placeholders, statement } from '../../store/statement.ts'
import type { Push } from './push.ts'
import type { EarlierPush } from './push-order.ts'

type DeliveryRow = Selectable<GitDeliveryTable>
/** Without the large columns. */
const LISTED = [
  'id',
  'account_id',
  'delivery',
  'provider',
  'event',
  'repository',
  'branch',
  'commit_hash',
  'result',
  'reason',
  'received_at',
] as const
export type ListedDelivery = Pick<DeliveryRow, (typeof LISTED)[number]>

const insertUnlessKnown = statement((tx: Tx, row: Placeholders<Insertable<GitDeliveryTable>>) =>
  tx
    .insertInto('git_delivery')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/** Undefined if this delivery is already stored, by its id or by what was signed: the unique indexes decide, not an earlier check. */
export async function insertDelivery(tx: Tx, delivery: Insertable<GitDeliveryTable>): Promise<number | undefined> {
  return (await insertUnlessKnown(tx, delivery))[0]?.id
}

type DeliveryChange = Updateable<Omit<GitDeliveryTable, 'id'>>
const changeDelivery = statement((tx: Tx, { of, ...change }: Placeholders<DeliveryChange & { of: number }>) =>
  tx.updateTable('git_delivery').set(change).where('id', '=', of),
)

export async function updateDelivery(tx: Tx, id: number, change: DeliveryChange): Promise<void> {
  await changeDelivery(tx, { ...change, of: id })
}

/**
 * Keeps other nodes from handling the same delivery until the transaction ends. False if the delivery is gone, with its account or because
 * many newer ones came.
 */
export async function holdDelivery(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('git_delivery')
    .set((eb) => ({ is_late: eb.ref('is_late') }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findRepeated(
  db: Reader,
  accountId: number,
  { delivery, fingerprint }: { delivery: string; fingerprint: string },
): Promise<Pick<DeliveryRow, 'id' | 'result' | 'reason' | 'push'> | undefined> {
  return await db
    .selectFrom('git_delivery')
    .select(['id', 'result', 'reason', 'push'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('delivery', '=', delivery), eb.and([eb('fingerprint', '=', fingerprint), eb('fingerprint', '!=', '')])]))
    .orderBy('id')
    .executeTakeFirst()
}

/** As stored; undefined if the delivery was not a push. */
export function parsedPush(text: string): Push | undefined {
  return text === '' ? undefined : (JSON.parse(text) as Push) // written by us
}

const MOST_EARLIER = 100
type OtherPushes = { accountId: number; repositoryId: string; branch: string; besides: number }

function pushesTo(db: Reader, of: Placeholders<OtherPushes>) {
  return db
    .selectFrom('git_delivery')
    .select(['before_hash as before', 'commit_hash as after', 'pushed_at as pushedAt'])
    .where('account_id', '=', of.accountId)
    .where('repository_id', '=', of.repositoryId)
    .where('branch', '=', of.branch)
    .where('commit_hash', '!=', '')
    .where('id', '!=', of.besides)
    .orderBy('id', 'desc')
}
const findNewestPush = statement((db: Reader, of: Placeholders<OtherPushes>) => pushesTo(db, of).where('is_late', '=', 0).limit(1))
const findPushes = statement((db: Reader, of: Placeholders<OtherPushes>) => pushesTo(db, of).limit(MOST_EARLIER))

/** The push to a branch that was received last, of those that were not late. */
export async function newestPush(db: Reader, of: OtherPushes): Promise<EarlierPush | undefined> {
  return (await findNewestPush(db, of))[0]
}

/** The pushes to a branch that were received last. */
export async function earlierPushes(db: Reader, of: OtherPushes): Promise<EarlierPush[]> {
  return await findPushes(db, of)
}

type Link = { deliveryId: number; appId: number; deploymentId: number | null; reason: string }
const insertLink = statement((tx: Tx, { deliveryId, appId, deploymentId, reason }: Placeholders<Link>) =>
  tx
    .insertInto('git_delivery_app')
    .values({ delivery_id: deliveryId, app_id: appId, deployment_id: deploymentId, reason })
    .onConflict((conflict) =>
      conflict.columns(['delivery_id', 'app_id']).doUpdateSet({
        reason: sql`excluded.reason`,
        deployment_id: sql`coalesce(excluded.deployment_id, git_delivery_app.deployment_id)`,
      }),
    ),
)

/** One row per app, even if it is redelivered several times, with the newest deployment that resulted. */
export async function linkApp(tx: Tx, link: Link): Promise<void> {
  await insertLink(tx, link)
}

export type Deployed = { appId: number; deliveryId: number; deploymentId: number }

/** What this delivery and later ones have deployed of these apps. */
export async function deployedSince(db: Reader, deliveryId: number, appIds: readonly number[]): Promise<Deployed[]> {
  if (appIds.length === 0) return []
  return await db
    .selectFrom('git_delivery_app')
    .select(['app_id as appId', 'delivery_id as deliveryId', 'deployment_id as deploymentId'])
    .where('app_id', 'in', appIds)
    .where('delivery_id', '>=', deliveryId)
    .where('deployment_id', 'is not', null)
    .$narrowType<{ deploymentId: number }>()
    .execute()
}

export type DeliveryApp = { appId: number; appName: string; projectId: number; deploymentId: number | null; reason: string }

/** The results of deliveries for each app. */
export async function appsOfDeliveries(db: Reader, deliveryIds: readonly number[]): Promise<Map<number, DeliveryApp[]>> {
  const rows = await db
    .selectFrom('git_delivery_app')
    .innerJoin('app', 'app.id', 'git_delivery_app.app_id')
    .select([
      'git_delivery_app.delivery_id as deliveryId',
      'git_delivery_app.deployment_id as deploymentId',
      'git_delivery_app.reason as reason',
      'app.id as appId',
      'app.name as appName',
      'app.project_id as projectId',
    ])
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('git_delivery_app.id')
    .execute()
  return Map.groupBy(rows, ({ deliveryId }) => deliveryId)
}

export async function listDeliveries(
  db: Reader,
  of: { appId: number } | { accountId: number },
  page: { limit: number; before: number | undefined },
): Promise<ListedDelivery[]> {
  let query = db.selectFrom('git_delivery').select(LISTED).orderBy('id', 'desc').limit(page.limit)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  if ('accountId' in of) return await query.where('account_id', '=', of.accountId).execute()
  const ofApp = db.selectFrom('git_delivery_app').select('delivery_id').where('app_id', '=', of.appId)
  return await query.where('id', 'in', ofApp).execute()
}

export async function projectsOf(db: Reader, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('project_member').select('project_id').where('user_id', '=', userId).execute()
  return rows.map(({ project_id }) => project_id)
}

/** Deletes the oldest deliveries of an account beyond a number or a size. */
export async function keepNewest(tx: Tx, accountId: number, most: { rows: number; bytes: number }): Promise<void> {
  const counted = tx
    .selectFrom('git_delivery')
    .select([
      'id',
      sql<number>`row_number() over (order by id desc)`.as('place'),
      sql<number>`sum(octet_length(body) + octet_length(push)) over (order by id desc)`.as('bytes'),
    ])
    .where('account_id', '=', accountId)
  const last = await tx
    .selectFrom(counted.as('counted'))
    .select('id')
    .where((eb) => eb.or([eb('place', '>', most.rows), eb('bytes', '>', most.bytes)]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last) await tx.deleteFrom('git_delivery').where('account_id', '=', accountId).where('id', '<=', last.id).execute()
}

/** Deletes deliveries from before a time, and those of each account beyond the newest. */
export async function forgetDeliveries(tx: Tx, before: Date, mostOfAccount: number): Promise<void> {
  await tx.deleteFrom('git_delivery').where('received_at', '<', before.toISOString()).execute()
  const accounts = await tx.selectFrom('git_delivery').select('account_id').distinct().execute()
  for (const { account_id: accountId } of accounts) {
    const ofAccount = tx.selectFrom('git_delivery').select('id').where('account_id', '=', accountId).orderBy('id', 'desc')
    const last = await ofAccount.offset(mostOfAccount).limit(1).executeTakeFirst()
    if (last) await tx.deleteFrom('git_delivery').where('account_id', '=', accountId).where('id', '<=', last.id).execute()
  }
}
