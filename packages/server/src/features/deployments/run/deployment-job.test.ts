import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { findDeployment } from '../../../domain/rows.ts'
import { createSecretBox } from '../../../lib/secret-box.ts'
import { TUNING } from '../../../lib/tuning.ts'
import { DatabaseLost } from '../../../store/database-lost.ts'
import { DiskFull } from '../../../store/storage-failure.ts'
import { createBuildLogs } from '../log/build-log.ts'
import { insertDeployment, moveDeployment } from '../store.ts'
import { createRunDeployment } from './deployment-job.ts'
import { createRecord } from './deployment-writes.ts'
import { createEndFailed } from './end-failed-deployment.ts'
import type { Pipeline } from './pipeline.ts'
import { createSettingsOf } from './release-settings.ts'

type LabOptions = { resolves?: () => never; undo?: () => Promise<void>; meanwhile?: () => Promise<void>; fails?: Error }

/** The job with a real database and real logs; nothing is built or started. */
async function openLab(options: LabOptions = {}) {
  const test = await openTestDatabase()
  const directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-job-'))
  const { db } = test
  const [log, now] = [pino({ level: 'silent' }), () => new Date()]
  const logDirectory = path.join(directory.path, 'logs')
  const restored: string[] = []
  const secrets = createSecretBox(Buffer.alloc(32, 1))
  const step = async <Result>(_name: string, effect: () => Promise<Result>) => await effect()
  const record = createRecord({ db, secrets, now })
  const settingsOf = createSettingsOf({
    secrets,
    currentFiles: async () => [],
    resolveEnvironment: async () => options.resolves?.() ?? { env: {}, problems: [] },
    log,
  })
  const restoreLater = async ({ id }: { id: number }) => void restored.push(`later ${id}`)
  const pipeline = {
    launchers: { container: { undo: options.undo ?? (async () => undefined) } },
    routes: { restore: async () => undefined },
  } as unknown as Pipeline // what a deployment that fails before its first stage uses
  const { run } = createRunDeployment({
    db,
    logs: createBuildLogs({ directory: logDirectory, log }),
    record,
    settingsOf: async (...given) => {
      await options.meanwhile?.()
      return { ...(await settingsOf(...given)), buildSecrets: {} }
    },
    preflight: async () => Promise.reject(options.fails ?? new Error('nothing gets this far')),
    pipeline,
    endFailed: createEndFailed({
      db,
      record,
      pipeline,
      isServing: async () => false,
      removeImages: async () => undefined,
      step,
      log,
      onChanged: () => undefined,
      restoreLater,
    }),
    cleanUp: async () => undefined,
    sharedPlans: undefined,
    restoreLater,
    restore: async ({ appId }) => void restored.push(`now ${appId}`),
    workDir: path.join(directory.path, 'work'),
    step,
    tuning: TUNING,
    log,
    now,
  })
  const app = await addApp(db, 'a@example.test')
  return {
    db,
    app,
    logDirectory,
    restored,
    async pending(): Promise<number> {
      const commit = { hash: '', message: '', author: '' }
      return (
        await db.transaction(async (tx) => await insertDeployment(tx, { app, trigger: 'manual', triggeredBy: null, commit, at: now() }))
      ).id
    },
    /** How a deployment ended. */
    async ended(deploymentId: number) {
      await run({ deploymentId, appId: app.id }, new AbortController().signal)
      return await findDeployment(db, deploymentId)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await test[Symbol.asyncDispose]()
      await directory.remove()
    },
  }
}

const unreadable = { status: 'failed', error_message: expect.stringContaining('encrypted with another secrets.key') }

it('a deployment whose settings cannot be read fails and says so, instead of waiting forever', async () => {
  await using lab = await openLab()
  const { id } = await addDeployment(lab.db, lab.app, { sealed_config: 'sealed by somebody else', image: 'i' })
  expect(await lab.ended(id)).toMatchObject(unreadable)
})

it('so does one whose variables cannot be read', async () => {
  await using lab = await openLab({
    resolves: () => {
      throw new Error('Unsupported state or unable to authenticate data')
    },
  })
  expect(await lab.ended(await lab.pending())).toMatchObject(unreadable)
})

it('a deployment whose log cannot be written fails and says so', async () => {
  await using lab = await openLab()
  await writeFile(lab.logDirectory, 'a file instead of the folder')
  const id = await lab.pending()
  expect(await lab.ended(id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('cannot be written (EEXIST)') })
  expect(await lab.ended(id), 'again after a crash').toMatchObject({ status: 'failed' })
})

it('a deployment that was cancelled right before a crash starts the live release again', async () => {
  await using lab = await openLab()
  const { id } = await addDeployment(lab.db, lab.app, { sealed_config: 'x', image: 'i' })
  const change = { started_at: new Date().toISOString() }
  await lab.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'stopped', at: new Date(), change }))
  await lab.ended(id)
  expect(lab.restored).toEqual([`now ${lab.app.id}`])
  expect(await readFile(path.join(lab.logDirectory, `d${id}.log`), 'utf8')).toContain('Cancelled')
})

it('what could not be undone is done later', async () => {
  await using lab = await openLab({ undo: async () => await Promise.reject(new Error('the engine is away')) })
  const { id } = await addDeployment(lab.db, lab.app, { sealed_config: 'unreadable', image: 'i' })
  expect(await lab.ended(id)).toMatchObject({ status: 'failed' })
  expect(lab.restored).toEqual([`later ${lab.app.id}`])
})

it('one that is cancelled between two runs starts the live release again too', async () => {
  const cancelling = { cancel: async () => undefined as void }
  await using lab = await openLab({ meanwhile: async () => await cancelling.cancel() })
  const { id } = await addDeployment(lab.db, lab.app, { sealed_config: 'x', image: 'i' })
  cancelling.cancel = async () =>
    void (await lab.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'stopped', at: new Date() })))
  expect(await lab.ended(id)).toMatchObject({ status: 'stopped' })
  expect(lab.restored).toEqual([`later ${lab.app.id}`])
  expect(await readFile(path.join(lab.logDirectory, `d${id}.log`), 'utf8')).toContain('Cancelled')
})

it.each([
  ['is undone when nothing can be stored', new DiskFull(), 1],
  ['is left as it is when the database is lost, which may have made it live', new DatabaseLost(new Error('the connection ended')), 0],
])('a release that has been started %s, and its job runs again', async (_, fails, expected) => {
  let undone = 0
  await using lab = await openLab({ fails, undo: async () => void (undone += 1) })
  const { id } = await addDeployment(lab.db, lab.app, { sealed_config: '', image: 'i' })
  await expect(lab.ended(id)).rejects.toBe(fails)
  expect(undone).toBe(expected)
  expect(await findDeployment(lab.db, id)).toMatchObject({ status: 'deploying' })
})
