import type { PublishedPort } from '@berth/contract'
import type { Reader, Tx } from '../../store/database.ts'

export type HostPort = { readonly port: number; readonly protocol: 'tcp' | 'udp' }

export async function listPorts(db: Reader): Promise<PublishedPort[]> {
  return await db
    .selectFrom('published_port')
    .innerJoin('app', 'app.id', 'published_port.app_id')
    .innerJoin('project', 'project.id', 'app.project_id')
    .select(['published_port.port', 'published_port.protocol', 'published_port.since', 'app.id as appId', 'app.name as appName'])
    .select(['project.id as projectId', 'project.name as projectName'])
    .orderBy('published_port.port')
    .orderBy('published_port.protocol')
    .execute()
}

/** The app that has the port, if any. */
export async function findPortOwner(db: Reader, { port, protocol }: HostPort): Promise<number | undefined> {
  const row = await db
    .selectFrom('published_port')
    .select('app_id')
    .where('port', '=', port)
    .where('protocol', '=', protocol)
    .executeTakeFirst()
  return row?.app_id
}

export async function insertPort(tx: Tx, { port, protocol }: HostPort, owner: { appId: number; at: Date }): Promise<void> {
  await tx
    .insertInto('published_port')
    .values({ port, protocol, app_id: owner.appId, since: owner.at.toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function portsOf(db: Reader, appId: number): Promise<HostPort[]> {
  return await db.selectFrom('published_port').select(['port', 'protocol']).where('app_id', '=', appId).execute()
}

export async function deletePort(tx: Tx, { port, protocol }: HostPort): Promise<void> {
  await tx.deleteFrom('published_port').where('port', '=', port).where('protocol', '=', protocol).execute()
}
