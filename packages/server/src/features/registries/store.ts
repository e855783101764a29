import type { Registry } from '@berth/contract'
import { type Insertable, sql, type Updateable } from 'kysely'
import type { Ownership } from '../../domain/ownership.ts'
import type { RegistryRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { RegistryTable } from '../../store/registry-tables.ts'

export function presentRegistry(row: RegistryRow): Registry {
  return {
    id: row.id,
    host: row.host,
    username: row.username,
    projectId: row.project_id,
    ownerId: row.created_by,
    status: row.error === '' ? 'ok' : 'error',
    error: row.error,
    createdAt: row.created_at,
  }
}

/** Without a user: all of them, for those who see that they are there. */
export async function listRegistries(db: Reader, userId: number | undefined): Promise<RegistryRow[]> {
  const query = db.selectFrom('registry').selectAll().orderBy('id')
  if (userId === undefined) return await query.execute()
  const projects = db.selectFrom('project_member').select('project_id').where('user_id', '=', userId)
  return await query.where((eb) => eb.or([eb('user_id', '=', userId), eb('project_id', 'in', projects)])).execute()
}

function ofBelonging(db: Reader, { userId, projectId }: Ownership) {
  return db.selectFrom('registry').where((eb) => (projectId === null ? eb('user_id', '=', userId) : eb('project_id', '=', projectId)))
}

export async function countRegistries(db: Reader, belonging: Ownership): Promise<number> {
  const { count } = await ofBelonging(db, belonging)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function registriesOf(db: Reader, belonging: Ownership): Promise<RegistryRow[]> {
  return await ofBelonging(db, belonging).selectAll().execute()
}

export async function registryFor(db: Reader, belonging: Ownership, host: string): Promise<RegistryRow | undefined> {
  return await ofBelonging(db, belonging).selectAll().where('host', '=', host).executeTakeFirst()
}

const nextNumber = sql<number>`coalesce(max(number), 0) + 1`.as('number')

export async function insertRegistry(tx: Tx, registry: Insertable<RegistryTable>): Promise<number> {
  const { id } = await tx.insertInto('registry').values(registry).returning('id').executeTakeFirstOrThrow()
  await tx
    .insertInto('private_host')
    .values((eb) => ({ host: registry.host, number: eb.selectFrom('private_host').select(nextNumber) }))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return id
}

export async function updateRegistry(tx: Tx, id: number, change: Updateable<RegistryTable>): Promise<void> {
  await tx.updateTable('registry').set(change).where('id', '=', id).execute()
}

export async function deleteRegistry(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('registry').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Those that somebody has credentials for stay; of the others, the ones that were added last. */
export async function forgetPrivateHosts(tx: Tx, most: number): Promise<void> {
  const former = tx
    .selectFrom('private_host')
    .select('host')
    .where('host', 'not in', (eb) => eb.selectFrom('registry').select('registry.host'))
    .orderBy('number', 'desc')
  const beyond = await former.limit(1).offset(most).select('number').executeTakeFirst()
  if (beyond)
    await tx
      .deleteFrom('private_host')
      .where('host', 'in', former.where('number', '<=', beyond.number).clearOrderBy())
      .execute()
}

/** Whether private images of this registry may be on the machine: somebody has credentials for it, or had. */
export async function isPrivateHost(db: Reader, host: string): Promise<boolean> {
  return (await db.selectFrom('private_host').select('host').where('host', '=', host).executeTakeFirst()) !== undefined
}

/** Whether somebody who is an admin by now saved credentials for it. */
export async function isAddedByStaff(db: Reader, host: string): Promise<boolean> {
  const query = db.selectFrom('registry').innerJoin('user', 'user.id', 'registry.created_by').select('registry.id')
  return (await query.where('registry.host', '=', host).where('user.role', '<>', 'user').executeTakeFirst()) !== undefined
}

/** The digest of the image that runs now; empty if nothing does, or what runs was built. */
export async function liveImage(db: Reader, appId: number): Promise<string> {
  const row = await db
    .selectFrom('deployment')
    .select('image_ref')
    .where('app_id', '=', appId)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return row?.image_ref ?? ''
}
