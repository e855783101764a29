import { statfs } from 'node:fs/promises'
import type { Database } from './database.ts'

/** The free disk space of this directory, without what is reserved for root. */
export async function freeBytes(directory: string): Promise<number> {
  const disk = await statfs(directory)
  return disk.bavail * disk.bsize
}

type Deps = { database: Pick<Database, 'state'>; dataDir: string; fullDiskBytes: number }

/** Whether the disk of the data directory is full: the database could not be written, or almost nothing is left. */
export function createIsDiskFull({ database, dataDir, fullDiskBytes }: Deps): () => Promise<boolean> {
  return async () => database.state() !== 'ok' || (await freeBytes(dataDir)) < fullDiskBytes
}
