import type { Db, Reader } from './database.ts'
import { deleteFact, readFact, writeFact } from './facts.ts'

const NAME = 'swarm'

/** Whether Berth has switched Swarm on. All control planes read it here, so that none asks an engine about a Swarm that is not ours. */
export async function isSwarmOn(db: Reader): Promise<boolean> {
  return (await readFact(db, NAME)) !== undefined
}

/** Writes only if something changes. */
export async function setSwarmOn(db: Db, isOn: boolean): Promise<void> {
  if ((await isSwarmOn(db)) === isOn) return
  await db.transaction(async (tx) => (isOn ? await writeFact(tx, NAME, 'on') : await deleteFact(tx, NAME)), { mayUseReserve: true })
}
