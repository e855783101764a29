import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup } from '@berth/contract'
import { errorCode } from '../../lib/error-code.ts'

const NAME = /^berth-\d{4}-\d{2}-\d{2}T\d{6}\.tar\.gz(?:\.age)?$/

/** The name contains the start time, in UTC. */
export function nameFor(at: Date, isEncrypted: boolean): string {
  return `berth-${at.toISOString().slice(0, 19).replaceAll(':', '')}.tar.gz${isEncrypted ? '.age' : ''}`
}

/** Newest first. Files with other names, such as copies made before a migration, are not ours to list or delete. */
export async function listBackups(directory: string): Promise<Backup[]> {
  const names = (await readdir(directory).catch(noneIfMissing)).filter((name) => NAME.test(name)).toSorted()
  const found = await Promise.all(names.map(async (name) => await describe(directory, name)))
  return found.filter((backup) => backup !== undefined).toReversed()
}

export async function describe(directory: string, name: string): Promise<Backup | undefined> {
  if (!NAME.test(name)) return undefined
  const file = await stat(join(directory, name)).catch(() => undefined)
  return file && { name, createdAt: timeIn(name), bytes: file.size, isEncrypted: name.endsWith('.age') }
}

export async function openBackup(directory: string, name: string): Promise<{ file: FileHandle; bytes: number } | undefined> {
  if (!NAME.test(name)) return undefined
  const file = await open(join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  return file && { file, bytes: (await file.stat()).size }
}

export async function deleteBackup(directory: string, name: string): Promise<void> {
  if (!NAME.test(name)) throw new Error(`not the name of a backup: ${name}`)
  await rm(join(directory, name))
}

/** berth-2026-01-31T030000.tar.gz was begun at 2026-01-31T03:00:00Z. */
function timeIn(name: string): string {
  const [, day = '', hours = '', minutes = '', seconds = ''] = /^berth-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)/.exec(name) ?? []
  return `${day}T${hours}:${minutes}:${seconds}.000Z`
}

function noneIfMissing(cause: unknown): string[] {
  if (errorCode(cause) !== 'ENOENT') throw cause
  return []
}
