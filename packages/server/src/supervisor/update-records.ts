import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../lib/error-code.ts'
import { writeDurably } from '../lib/write-durably.ts'
import { withRoomOf } from '../store/sqlite/reserve.ts'
import type { UpdateRecord } from './update-record.ts'

const NAME = /^(\d{8}T\d{6}Z)\.json$/
const KEPT = 30

/** All updates that were ever tried: a record and a log each, beside the database, so that they survive whatever happens to it. */
export function createUpdateRecords(directory: string, now: () => Date) {
  const recordOf = (id: string) => join(directory, `${id}.json`)
  const logOf = (id: string) => join(directory, `${id}.log`)

  async function ids(): Promise<string[]> {
    const names = await readdir(directory).catch(emptyIfMissing)
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).toSorted()
  }

  async function read(id: string): Promise<UpdateRecord> {
    return JSON.parse(await readFile(recordOf(id), 'utf8')) as UpdateRecord // only `write` below writes these files
  }

  async function newest(): Promise<UpdateRecord | undefined> {
    const id = (await ids()).at(-1)
    return id === undefined ? undefined : await read(id)
  }

  /** Newest first. */
  async function all(): Promise<UpdateRecord[]> {
    return await Promise.all((await ids()).toReversed().map(read))
  }

  async function write(record: UpdateRecord): Promise<UpdateRecord> {
    // also on a full disk: while an update has not ended, nothing else goes on
    await withRoomOf(join(directory, '..', 'reserve'), async () => {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeDurably(recordOf(record.id), JSON.stringify(record, null, 2))
    })
    return record
  }

  /** A line that people read. */
  async function say(id: string, text: string): Promise<void> {
    await appendFile(logOf(id), `${now().toISOString()} ${text.replaceAll(/\s+/g, ' ')}\n`, { mode: 0o600 }).catch(() => undefined) // a full disk must not stop it
  }

  async function logLines(id: string): Promise<string[]> {
    const text = await readFile(logOf(id), 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }

  async function end(record: UpdateRecord, outcome: 'succeeded' | 'failed', error = ''): Promise<UpdateRecord> {
    await say(record.id, outcome === 'succeeded' ? `Berth ${record.to} is running.` : `The update failed: ${error}`)
    const failedIn = outcome === 'failed' ? record.phase : undefined
    const ended = await write({ ...record, phase: 'ended', outcome, error, endedAt: now().toISOString(), ...(failedIn && { failedIn }) })
    await forgetOld()
    return ended
  }

  async function forgetOld(): Promise<void> {
    for (const id of (await ids()).slice(0, -KEPT))
      for (const file of [recordOf(id), logOf(id)]) await rm(file, { force: true }).catch(() => undefined)
  }

  return { directory, newest, all, write, say, logLines, end }
}

export type UpdateRecords = ReturnType<typeof createUpdateRecords>

export function recordId(at: Date): string {
  return at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

function emptyIfMissing(cause: unknown): string[] {
  if (errorCode(cause) !== 'ENOENT') throw cause
  return []
}
