import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backup, Backups, Settings, VerifiedBackup } from '@berth/contract'
import { type Actor, PLATFORM, recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import type { SentFile } from '../../http/implement.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Db } from '../../store/database.ts'
import { deleteFact, readFact, writeFact } from '../../store/facts.ts'
import { deleteBackup, describe, listBackups, nameFor, openBackup } from './files.ts'
import { nextBackupAt, outdated } from './schedule.ts'

type Deps = {
  db: Db
  directory: string
  restoreCommand: string
  isEncrypted: boolean
  settings: () => Pick<Settings, 'backupSchedule' | 'backupsKept'>
  /** Runs a command of this program in a separate process, because it reads the whole database, and returns its output. */
  runCommand: (args: readonly string[], signal: AbortSignal) => Promise<{ isOk: boolean; output: string }>
  log: Pick<Logger, 'info' | 'warn'>
  now: () => Date
}

const ERROR = 'backup_error'
const SET_UP_AT = 'set_up_at'
const ENDS_WITHIN_MS = 30 * 60 * 1000

/** Backups of Berth itself, manual or scheduled, as files in the data directory. */
export function createBackups(deps: Deps) {
  const { db, directory, restoreCommand, settings, now } = deps
  const inTurn = createTurns<'backup'>()

  async function list(): Promise<Backups> {
    const backups = await listBackups(directory)
    const nextAt = nextBackupAt({
      schedule: settings().backupSchedule,
      newest: backups[0]?.createdAt,
      setUpAt: await readFact(db, SET_UP_AT),
    })
    const error = (await readFact(db, ERROR)) ?? ''
    return { directory, restoreCommand, backups, nextAt: nextAt?.toISOString() ?? null, error }
  }

  async function create(actor: Actor, signal: AbortSignal = AbortSignal.timeout(ENDS_WITHIN_MS)): Promise<Backup> {
    return await inTurn('backup', async () => {
      const name = await freshName()
      const { isOk, output } = await deps.runCommand(['backup', join(directory, name)], signal)
      const made = await describe(directory, name)
      if (!isOk || !made) throw new AppError('backup_failed', { message: `The backup could not be written: ${output}` })
      await audit(actor, 'backup.create', name)
      return made
    })
  }

  /** Names have a resolution of one second, and a backup never overwrites another one. */
  async function freshName(): Promise<string> {
    for (;;) {
      const name = nameFor(now(), deps.isEncrypted)
      if (!(await describe(directory, name))) return name
      await sleep(200)
    }
  }

  async function verify(name: string): Promise<VerifiedBackup> {
    await mustExist(name)
    const { isOk, output } = await deps.runCommand(['verify', '--json', join(directory, name)], AbortSignal.timeout(ENDS_WITHIN_MS))
    if (!isOk) throw new AppError('backup_damaged', { message: output })
    return { name, ...(JSON.parse(output) as Omit<VerifiedBackup, 'name'>) } // printed by our own command
  }

  /** A file that is deleted meanwhile is still read to its end. */
  async function download(actor: Actor, name: string): Promise<SentFile> {
    const found = await openBackup(directory, name)
    if (!found) throw new AppError('backup_not_found')
    await audit(actor, 'backup.download', name).catch(async (cause: unknown) => {
      await found.file.close()
      throw cause
    })
    return { name, bytes: found.bytes, contents: found.file.createReadStream() }
  }

  async function remove(caller: Caller, name: string): Promise<{ name: string }> {
    await mustExist(name)
    await deleteBackup(directory, name)
    await audit(caller, 'backup.delete', name)
    return { name }
  }

  async function mustExist(name: string): Promise<void> {
    if (!(await describe(directory, name))) throw new AppError('backup_not_found')
  }

  async function audit(actor: Actor, action: string, name: string): Promise<void> {
    await db.transaction(async (tx) => await recordAudit(tx, now(), actor, { action, subject: 'backup', after: { name } }))
  }

  return { list, create, verify, download, remove, makeDue: createSchedule(deps, { list, create }) }
}

type Made = { list: () => Promise<Backups>; create: (actor: Actor, signal: AbortSignal) => Promise<Backup> }

/** Called every few minutes: creates a backup if one is due, and deletes those older than the days to keep. */
function createSchedule({ db, directory, settings, log, now }: Deps, { list, create }: Made) {
  return async function makeDue(signal: AbortSignal): Promise<void> {
    const { nextAt } = await list()
    if (nextAt === null || Date.parse(nextAt) > now().getTime()) return
    try {
      const { name, bytes } = await create(PLATFORM, signal)
      log.info({ name, bytes }, 'made a backup')
      await db.transaction(async (tx) => await deleteFact(tx, ERROR))
      for (const { name: old } of outdated(await listBackups(directory), settings().backupsKept)) await deleteBackup(directory, old)
    } catch (cause) {
      if (signal.aborted) throw cause
      const message = cause instanceof Error ? cause.message : String(cause)
      log.warn({ reason: message }, 'the scheduled backup failed')
      await db.transaction(async (tx) => await writeFact(tx, ERROR, message))
    }
  }
}

export type BackupKeeper = ReturnType<typeof createBackups>
