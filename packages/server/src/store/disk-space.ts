import { statfs } from 'node:fs/promises'
import type { Database } from './database.ts'

/** What everybody may use of the disk under this directory. */
export async function freeBytes(directory: string): Promise<number> {
  const disk = await statfs(directory)
  return disk.bavail * disk.bsize
}

type Deps = { database: Pick<Database, 'state'>; dataDir: string; fullDiskBytes: number }

/** Whether the disk of the data directory takes no more work: the database was refused, or as good as nothing is left. */
export function createIsDiskFull({ database, dataDir, fullDiskBytes }: Deps): () => Promise<boolean> {
  return async () => database.state() !== 'ok' || (await freeBytes(dataDir)) < fullDiskBytes
}
