import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openSqlite } from '../store/sqlite/open.ts'
import { createUpdateRecords } from '../supervisor/update-records.ts'
import { runCommand } from './commands.ts'

const ON_DATA = [['users'], ['reset-password', 'a@b.test'], ['make-owner', 'a@b.test'], ['rotate-keys']]
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-commands-'))
  vi.stubEnv('BERTH_DATA_DIR', dataDir)
  vi.stubEnv('DOCKER_HOST', `unix://${dataDir}/no-engine.sock`)
  await (await open()).close()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(dataDir, { recursive: true })
})

async function open() {
  return await openSqlite({ dataDir, now: () => new Date(), onCommit: () => undefined })
}

async function run(args: readonly string[]) {
  const complaints: string[] = []
  const askSecret = async () => 'a password'
  const code = await runCommand(args, { print: () => undefined, complain: (text) => void complaints.push(text), askSecret })
  return { code, complaint: complaints.join() }
}

it.each(ON_DATA)('%s says that there is no data directory', async (...args) => {
  vi.stubEnv('BERTH_DATA_DIR', join(dataDir, 'none'))
  expect(await run(args)).toEqual({ code: 1, complaint: expect.stringMatching(/^There is no Berth in .*none\. Set BERTH_DATA_DIR/) })
  vi.stubEnv('BERTH_DATA_DIR', dataDir)
})

it.each([...ON_DATA, ['clear-machine']])('%s is refused while Berth runs', async (...args) => {
  const server = await open()
  expect(await run(args)).toEqual({ code: 1, complaint: expect.stringMatching(/^Another Berth is using the data directory/) })
  await server.close()
})

it.each(ON_DATA)('%s is refused until an update has ended, which may take the database back', async (...args) => {
  const records = createUpdateRecords(join(dataDir, 'updates'), () => new Date())
  const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: null, attempts: 1, goodBefore: [] }
  const update = { id: '20260101T000000Z', from: '1.0.0', to: '1.1.0', by: '', outcome: null, error: '', keepsData: false, ...times }
  await records.write({ ...update, phase: 'watching' })
  expect(await run(args)).toEqual({ code: 1, complaint: expect.stringMatching(/^An update to Berth 1\.1\.0 has not ended/) })
  await records.end({ ...update, phase: 'watching' }, 'succeeded')
  expect((await run(args)).complaint).not.toMatch(/update/)
})
