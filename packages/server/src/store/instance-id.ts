import { randomBytes } from 'node:crypto'
import type { Db } from './database.ts'
import { readFact, writeFact } from './facts.ts'

const NAME = 'instance_id'

/** Identifies this data directory in the engine's labels, so that two instances on one engine never touch each other's containers. */
export async function instanceId(db: Db): Promise<string> {
  const known = await readFact(db, NAME)
  if (known !== undefined) return known
  const fresh = randomBytes(4).toString('hex')
  await db.transaction(async (tx) => await writeFact(tx, NAME, fresh), { mayUseReserve: true })
  return fresh
}
