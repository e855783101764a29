import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, asCall } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { PLATFORM } from '../../domain/audit.ts'
import { EngineError } from '../../engine/api/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { appVolumeName } from '../../engine/labels.ts'
import { createRemoveVolume } from '../../reconcile/remove-volume.ts'
import { createVolumeDeletion } from './volumes.ts'

/** An app whose engine has the volumes `old` and `live`; the live release was started with `live`. */
async function open(remove: (name: string) => Promise<void> = async () => undefined) {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const names = ['old', 'live'].map((volume) => ({ name: appVolumeName('i', app.id, volume) }))
  const engine = { volumes: { list: async () => names, remove }, containers: { list: async () => [] } } as unknown as Engine // only what is called
  const deps = { db, engine, instance: 'i', liveVolumes: async () => ['live'], now: () => new Date() }
  const caller = { id: app.created_by, email: '', role: 'user', createdAt: '', sessionId: '', origin: PLATFORM.origin } as const
  const deleteVolume = createVolumeDeletion(deps)
  return {
    app,
    ask: async (volume: string) => await deleteVolume(asCall(caller, app), volume),
    removeVolume: createRemoveVolume({ ...deps, step: async (_name, work) => await work(), log: pino({ level: 'silent' }) }),
    jobs: async () => (await db.selectFrom('job').select('payload').execute()).map(({ payload }) => JSON.parse(payload) as unknown),
    audit: async () => await db.selectFrom('audit').select(['action', 'after']).execute(),
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('a volume that is asked to be deleted again is deleted once', async () => {
  await using test = await open()
  for (let n = 0; n < 3; n += 1) await test.ask('old')
  expect(await test.jobs()).toEqual([{ appId: test.app.id, volume: 'old' }])
  expect(await test.audit()).toEqual([{ action: 'volume.delete', after: '{"volume":"old"}' }])
})

it('a volume of the live release is not deleted, also if no container has it', async () => {
  const removed: string[] = []
  await using test = await open(async (name) => void removed.push(name))
  await expect(test.ask('live')).rejects.toMatchObject({
    code: 'volume_in_use',
    message: expect.stringContaining('live release') as string,
  })
  const { signal } = new AbortController()
  await test.removeVolume({ appId: test.app.id, volume: 'live' }, signal) // a rollback since
  expect(removed).toEqual([])
  await test.removeVolume({ appId: test.app.id, volume: 'old' }, signal)
  expect(removed).toEqual([appVolumeName('i', test.app.id, 'old')])
  expect(await test.audit()).toEqual([{ action: 'volume.keep', after: '{"volume":"live","reason":"the live release has it"}' }])
})

it('the audit log says if the engine did not delete a volume because a container has it', async () => {
  await using test = await open(async () => await Promise.reject(new EngineError(409, 'volume is in use')))
  await test.removeVolume({ appId: test.app.id, volume: 'old' }, new AbortController().signal)
  expect(await test.audit()).toEqual([{ action: 'volume.keep', after: '{"volume":"old","reason":"a container has it"}' }])
})
