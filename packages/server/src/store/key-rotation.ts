import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncDirectory } from '../lib/write-durably.ts'
import type { Reader } from './database.ts'
import { readFact } from './facts.ts'

/** The hash of the key that everything in this database is sealed with, once it was rotated. */
export const KEY_FACT = 'secrets_key_sha256'

export function nextKeyPath(dataDir: string): string {
  return join(dataDir, 'secrets.key.next')
}

export function keyHash(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * After a rotation that was interrupted: the new key is taken if the database was sealed with it, and thrown away otherwise. The database
 * decides, because it changes in one transaction.
 */
export async function finishKeyRotation(db: Reader, dataDir: string): Promise<void> {
  const next = nextKeyPath(dataDir)
  if (!existsSync(next)) return
  if ((await readFact(db, KEY_FACT)) === keyHash(readFileSync(next))) renameSync(next, join(dataDir, 'secrets.key'))
  else rmSync(next)
  await syncDirectory(dataDir)
}
