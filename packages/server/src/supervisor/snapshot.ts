import { constants, existsSync } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../lib/write-durably.ts'

const DATABASE = 'berth.sqlite'
/** The log of writes belongs to the database after a crash; SQLite creates its index again. */
const FILES = [DATABASE, `${DATABASE}-wal`, 'secrets.key', 'session.key']

async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  const file = await open(target, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The database and its keys while nothing runs; it has its name only once it is whole. */
export async function takeSnapshot(dataDir: string, snapshot: string): Promise<void> {
  const unfinished = `${snapshot}.unfinished`
  for (const directory of [unfinished, snapshot]) await rm(directory, { recursive: true, force: true })
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    for (const name of FILES.filter((file) => existsSync(join(dataDir, file))))
      await copyDurably(join(dataDir, name), join(unfinished, name))
    await syncDirectory(unfinished)
    await rename(unfinished, snapshot)
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined) // on a full disk the server needs this room
    throw cause
  }
  await syncDirectory(join(snapshot, '..'))
}

/** On a full disk there is room for a link, but not for a second copy. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  await rm(target, { force: true })
  await link(source, target).catch(async () => await copyDurably(source, target))
}

/**
 * Can be repeated: after a crash in the middle it is done again from its beginning. The snapshot is the database from then on, so it has to
 * be removed before a server runs.
 */
export async function restoreSnapshot(dataDir: string, snapshot: string): Promise<void> {
  const names = await readdir(snapshot)
  for (const name of names) await linkOrCopy(join(snapshot, name), join(dataDir, `${name}.restoring`))
  for (const part of ['-wal', '-shm']) await rm(join(dataDir, `${DATABASE}${part}`), { force: true })
  for (const name of names) {
    const restored = join(dataDir, `${name}.restoring`)
    await rename(restored, join(dataDir, name))
    await rm(restored, { force: true }) // still there if both were links to one file, as after a crash between this and the record
  }
  await syncDirectory(dataDir)
}
