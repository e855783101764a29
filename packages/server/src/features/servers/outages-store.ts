import type { Reader, Tx } from '../../store/database.ts'
import type { ServerOutageTable } from '../../store/server-tables.ts'

/** What a container is for: it keeps this wherever it runs. */
export type Place = { readonly appId: number; readonly service: string | null; readonly replica: number }
export type Outage = Pick<ServerOutageTable, 'server_id' | 'server_name' | 'lost_at' | 'ended_at' | 'moved'> & {
  readonly id: number
  /** Those that ran on the server when it was lost. */
  readonly places: readonly Place[]
}

function outages(db: Reader) {
  return db.selectFrom('server_outage').selectAll().orderBy('id', 'desc')
}

function outageOf({ containers, ...row }: Omit<ServerOutageTable, 'id'> & { id: number }): Outage {
  return { ...row, places: JSON.parse(containers) as Place[] } // as it was written here
}

export async function listOutages(db: Reader, most: number): Promise<Outage[]> {
  return (await outages(db).limit(most).execute()).map(outageOf)
}

export async function listOpenOutages(db: Reader): Promise<Outage[]> {
  return (await outages(db).where('ended_at', 'is', null).execute()).map(outageOf)
}

export async function insertOutage(tx: Tx, { places, ...row }: Pick<Outage, 'server_id' | 'server_name' | 'lost_at' | 'places'>) {
  await tx
    .insertInto('server_outage')
    .values({ ...row, ended_at: null, containers: JSON.stringify(places), moved: 0 })
    .execute()
}

export async function updateOutage(tx: Tx, id: number, change: Pick<Outage, 'ended_at' | 'moved'>): Promise<void> {
  await tx.updateTable('server_outage').set(change).where('id', '=', id).execute()
}

export async function forgetOutagesBeyond(tx: Tx, most: number): Promise<void> {
  const last = await tx.selectFrom('server_outage').select('id').orderBy('id', 'desc').offset(most).limit(1).executeTakeFirst()
  if (last) await tx.deleteFrom('server_outage').where('id', '<=', last.id).execute()
}
