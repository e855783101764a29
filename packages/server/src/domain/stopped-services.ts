import type { Tx } from '../store/database.ts'
import type { AppRow } from './rows.ts'

/** The services of a compose app that a person stopped. They stay so until they are started, or a new release is live. */
export function stoppedServices(app: Pick<AppRow, 'stopped_services'>): ReadonlySet<string> {
  return new Set(JSON.parse(app.stopped_services) as string[]) // written below and nowhere else
}

/** Returns whether that changed anything. */
export async function setStoppedServices(tx: Tx, appId: number, services: Iterable<string>): Promise<boolean> {
  const text = JSON.stringify([...services].toSorted())
  const change = tx.updateTable('app').set({ stopped_services: text }).where('id', '=', appId).where('stopped_services', '!=', text)
  return (await change.executeTakeFirst()).numUpdatedRows > 0n
}

/** One service more, or less. Read within the transaction: two of them may be stopped at once. */
export async function setServiceStopped(
  tx: Tx,
  appId: number,
  { service, isStopped }: { service: string; isStopped: boolean },
): Promise<boolean> {
  const app = await tx.selectFrom('app').select('stopped_services').where('id', '=', appId).executeTakeFirst()
  if (!app) return false
  const others = [...stoppedServices(app)].filter((name) => name !== service)
  return await setStoppedServices(tx, appId, isStopped ? [...others, service] : others)
}
