import { existsSync } from 'node:fs'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { mountSmallDisk } from '../../testing/harness/small-disk.ts'
import { createStep } from '../lib/step.ts'
import { createReserve } from '../store/sqlite/reserve.ts'
import { createCarryOut } from './carry-out.ts'
import { createDataCopies } from './data-copies.ts'
import { createLayout } from './layout.ts'
import { restoreSnapshot } from './snapshot.ts'
import type { UpdateRecord } from './update-record.ts'
import { createUpdateRecords } from './update-records.ts'

const DATABASE_BYTES = 4 * 1024 * 1024
const UPDATE: UpdateRecord = {
  id: '20260101T000000Z',
  from: '1.0.0',
  to: '1.1.0',
  by: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  phase: 'switching',
  outcome: null,
  error: '',
  keepsData: false,
  goodBefore: [],
  attempts: 0,
}

/** An installation whose releases and data are on one small disk. */
async function openInstallation(context: TestContext) {
  const disk = await mountSmallDisk(96)
  if (disk.unavailable !== undefined) return context.skip(disk.unavailable)
  const [root, dataDir] = [join(disk.directory, 'opt'), join(disk.directory, 'data')]
  for (const version of [UPDATE.from, UPDATE.to]) await mkdir(join(root, 'releases', version), { recursive: true })
  await symlink(join('releases', UPDATE.from), join(root, 'current'))
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'berth.sqlite'), 'before'.padEnd(DATABASE_BYTES))
  createReserve(join(dataDir, 'reserve')).keep()
  const layout = createLayout(root)
  const records = createUpdateRecords(join(dataDir, 'updates'), () => new Date())
  const stopping = new AbortController().signal
  const copies = createDataCopies({ dataDir, database: 'sqlite', layout, stopping })
  const carryOut = createCarryOut({ dataDir, copies, layout, records, step: createStep(undefined, () => undefined), stopping })
  const database = async () => (await readFile(join(dataDir, 'berth.sqlite'), 'utf8')).trimEnd()
  return { disk, dataDir, layout, records, carryOut, database }
}

it('on a full disk there is no room for the copy: the update ends and leaves nothing behind', async (context) => {
  const { disk, records, carryOut, database } = await openInstallation(context)
  await using _mounted = disk
  await records.write(UPDATE)
  await disk.fill()
  await expect(carryOut.prepare(UPDATE)).rejects.toThrow(/no space/)
  await records.end(UPDATE, 'failed', 'no room')
  expect(await records.newest()).toMatchObject({ phase: 'ended', outcome: 'failed', failedIn: 'switching' })
  expect((await readdir(records.directory)).filter((name) => name.includes('snapshot'))).toEqual([])
  expect(await database()).toBe('before')
})

it('on a full disk it goes back to the old version and the copy of the database', async (context) => {
  const { disk, dataDir, layout, records, carryOut, database } = await openInstallation(context)
  await using _mounted = disk
  await carryOut.prepare(UPDATE)
  const begun = await carryOut.begin((await records.newest()) ?? UPDATE)
  expect(layout.current()).toBe(UPDATE.to)
  await writeFile(join(dataDir, 'berth.sqlite'), 'after'.padEnd(DATABASE_BYTES))
  await writeFile(join(dataDir, 'berth.sqlite-wal'), 'of the new version')
  await disk.fill()
  await carryOut.giveUp(begun ?? UPDATE, 'it did not work')
  await carryOut.goBack((await records.newest()) ?? UPDATE)
  expect(await records.newest()).toMatchObject({ outcome: 'failed', error: 'it did not work', failedIn: 'returning' })
  expect([layout.current(), await database(), existsSync(join(dataDir, 'berth.sqlite-wal'))]).toEqual(['1.0.0', 'before', false])
  expect(await readdir(layout.releases)).toEqual(['1.0.0'])
  expect((await readdir(records.directory)).filter((name) => name.includes('snapshot'))).toEqual([])
})

it('goes back again after a crash before the record was written, and leaves no file behind', async (context) => {
  const { disk, dataDir, layout, records, carryOut, database } = await openInstallation(context)
  await using _mounted = disk
  await carryOut.prepare(UPDATE)
  const begun = (await carryOut.begin((await records.newest()) ?? UPDATE)) ?? UPDATE
  await writeFile(join(dataDir, 'berth.sqlite'), 'after'.padEnd(DATABASE_BYTES))
  const snapshot = join(records.directory, `${UPDATE.id}.snapshot`)
  await restoreSnapshot(dataDir, snapshot) // and here it was killed
  await link(join(snapshot, 'berth.sqlite'), join(dataDir, 'berth.sqlite.restoring')) // or, in another try, here
  await carryOut.goBack({ ...begun, phase: 'returning', error: 'it was killed' })
  expect((await readdir(dataDir)).filter((name) => name.endsWith('.restoring'))).toEqual([])
  expect([layout.current(), await database()]).toEqual(['1.0.0', 'before'])
})
