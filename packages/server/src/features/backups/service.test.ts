import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PLATFORM } from '../../domain/audit.ts'
import type { Database } from '../../store/database.ts'
import { writeFact } from '../../store/facts.ts'
import { openSqlite } from '../../store/sqlite/open.ts'
import { createBackups } from './service.ts'

let dataDir: string
let database: Database
let time: Date
let failure: string | undefined

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-backups-'))
  time = new Date('2026-01-01T00:00:00Z')
  failure = undefined
  database = await openSqlite({ dataDir, now: () => time, onCommit: () => undefined })
  await database.db.transaction(async (tx) => await writeFact(tx, 'set_up_at', time.toISOString()))
})
afterEach(async () => {
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const wait = (days: number) => (time = new Date(time.getTime() + days * 24 * 3600 * 1000))
const silent = { info: () => undefined, warn: () => undefined }

function keeper(backupsKept: number) {
  const settings = {
    wildcardDomain: '',
    automaticDomain: '',
    dashboardDomain: '',
    acmeEmail: '',
    acmeDirectory: '',
    retention: 5,
    concurrency: 0,
    backupSchedule: 'daily' as const,
    backupsKept,
  }
  // The command itself is run by the tests of maintenance/ and of the CLI.
  const runCommand = async ([, path = '']: readonly string[]) => {
    if (failure !== undefined) return { isOk: false, output: failure }
    await writeFile(path, 'x')
    return { isOk: true, output: '' }
  }
  const directory = join(dataDir, 'backups')
  return createBackups({
    db: database.db,
    directory,
    restoreCommand: 'berth-server restore',
    isEncrypted: false,
    settings: () => settings,
    runCommand,
    log: silent,
    now: () => time,
  })
}

const { signal } = new AbortController()

it('a backup is made when it is due, the oldest are deleted, and other files stay', async () => {
  const backups = keeper(2)
  await writeFile(join(dataDir, 'backups', 'before-version-9.sqlite'), 'not a backup')
  await backups.makeDue(signal)
  expect((await backups.list()).backups).toEqual([])
  for (let n = 0; n < 4; n += 1) {
    wait(1)
    await backups.makeDue(signal)
    await backups.makeDue(signal)
  }
  const { backups: kept, nextAt } = await backups.list()
  expect(kept.map(({ createdAt }) => createdAt)).toEqual(['2026-01-05T00:00:00.000Z', '2026-01-04T00:00:00.000Z'])
  expect(nextAt).toBe('2026-01-06T00:00:00.000Z')
  expect(await readdir(join(dataDir, 'backups'))).toContain('before-version-9.sqlite')
})

it('a failed backup deletes nothing, and is reported until the next one succeeds', async () => {
  const backups = keeper(1)
  wait(1)
  await backups.makeDue(signal)
  failure = 'ENOSPC: no space left on device'
  wait(1)
  await backups.makeDue(signal)
  expect(await backups.list()).toMatchObject({ error: 'The backup could not be written: ENOSPC: no space left on device' })
  expect((await backups.list()).backups).toHaveLength(1)
  await expect(backups.verify((await backups.list()).backups[0]?.name ?? '')).rejects.toMatchObject({ code: 'backup_damaged' })
  await expect(backups.create(PLATFORM)).rejects.toMatchObject({ code: 'backup_failed' })
  failure = undefined
  await backups.makeDue(signal)
  expect((await backups.list()).error).toBe('')
})

it('a backup is downloaded as it is, and nothing else is', async () => {
  const backups = keeper(1)
  wait(1)
  await backups.makeDue(signal)
  const [made] = (await backups.list()).backups
  const { bytes, contents } = await backups.download(PLATFORM, made?.name ?? '')
  expect([bytes, await text(contents)]).toEqual([1, 'x'])
  for (const name of ['before-version-9.sqlite', '../secrets.key', 'berth-2026-01-01T000000.tar.gz'])
    await expect(backups.download(PLATFORM, name)).rejects.toMatchObject({ code: 'backup_not_found' })
})
