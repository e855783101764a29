import type { PublishedPort } from '@berth/contract'
import type { Reader, Tx } from '../../store/database.ts'
import { projectsSharingQuota } from '../../store/shared-quota.ts'

export type HostPort = { readonly port: number; readonly protocol: 'tcp' | 'udp' }
/** Where a port of the machine leads to. */
export type Place = { readonly service: string; readonly target: number; readonly protocol: 'tcp' | 'udp' }
export type OpenPort = HostPort & Place & { readonly address: string }

export async function listPorts(db: Reader): Promise<PublishedPort[]> {
  const rows = await db
    .selectFrom('published_port')
    .innerJoin('app', 'app.id', 'published_port.app_id')
    .innerJoin('project', 'project.id', 'app.project_id')
    .select(['published_port.port', 'published_port.protocol', 'published_port.since', 'app.id as appId', 'app.name as appName'])
    .select(['published_port.service', 'published_port.target', 'published_port.address', 'published_port.is_wanted'])
    .select(['project.id as projectId', 'project.name as projectName'])
    .orderBy('published_port.port')
    .orderBy('published_port.protocol')
    .execute()
  return rows.map(({ is_wanted: isWanted, ...row }) => ({ ...row, isWanted: isWanted === 1 }))
}

/** Who has the port, if anybody. */
export async function findPort(
  db: Reader,
  { port, protocol }: HostPort,
): Promise<(Place & { appId: number; isWanted: boolean }) | undefined> {
  const row = await db.selectFrom('published_port').selectAll().where('port', '=', port).where('protocol', '=', protocol).executeTakeFirst()
  return row && { appId: row.app_id, service: row.service, target: row.target, protocol: row.protocol, isWanted: row.is_wanted === 1 }
}

export async function wantedPorts(db: Reader, appId: number): Promise<OpenPort[]> {
  return await db
    .selectFrom('published_port')
    .select(['port', 'protocol', 'service', 'target', 'address'])
    .where('app_id', '=', appId)
    .where('is_wanted', '=', 1)
    .orderBy('port')
    .orderBy('protocol')
    .execute()
}

export async function unwantedPorts(db: Reader, appId: number): Promise<HostPort[]> {
  return await db.selectFrom('published_port').select(['port', 'protocol']).where('app_id', '=', appId).where('is_wanted', '=', 0).execute()
}

/** Also those that were closed and are not free yet. */
export async function countPorts(db: Reader, app: { id: number; project_id: number }): Promise<{ ofApp: number; ofUser: number }> {
  return await db
    .selectFrom('published_port')
    .innerJoin('app', 'app.id', 'published_port.app_id')
    .select((eb) => [eb.fn.countAll<number>().as('ofUser'), eb.fn.countAll<number>().filterWhere('app.id', '=', app.id).as('ofApp')])
    .where('app.project_id', 'in', projectsSharingQuota(db, app.project_id))
    .executeTakeFirstOrThrow()
}

export async function savePort(tx: Tx, { port, protocol, ...place }: OpenPort, owner: { appId: number; at: Date }): Promise<void> {
  const { service, target, address } = place
  await tx
    .insertInto('published_port')
    .values({ port, protocol, app_id: owner.appId, since: owner.at.toISOString(), service, target, address, is_wanted: 1 })
    .onConflict((conflict) => conflict.columns(['port', 'protocol']).doUpdateSet({ service, target, address, is_wanted: 1 }))
    .execute()
}

/** Its app has it until the next release is live. */
export async function setUnwanted(tx: Tx, { port, protocol }: HostPort): Promise<void> {
  await tx.updateTable('published_port').set({ is_wanted: 0 }).where('port', '=', port).where('protocol', '=', protocol).execute()
}

export async function deletePort(tx: Tx, { port, protocol }: HostPort): Promise<void> {
  await tx.deleteFrom('published_port').where('port', '=', port).where('protocol', '=', protocol).execute()
}
