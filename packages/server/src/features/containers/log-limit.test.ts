import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createEngine } from '../../engine/engine.ts'
import { createContainers } from './service.ts'
import { createUsage } from './usage.ts'

it('one person takes two of the places for reading logs, so that others read theirs, and is refused beyond a queue', async () => {
  await using test = await openTestDatabase()
  const silent = { info: () => undefined, warn: () => undefined }
  const [slow, other] = [await addApp(test.db, 'a@example.test'), await addApp(test.db, 'b@example.test')]
  const isOver = Promise.withResolvers<void>()
  let reading = 0
  const containers = createContainers({
    db: test.db,
    engine: createEngine({ address: { socketPath: '/nowhere' }, log: silent, now: () => new Date() }), // is never asked
    lastFailedLog: async () => '',
    async liveRelease(app) {
      if (app.id !== slow.id) return undefined
      reading += 1
      await isOver.promise // as long as an engine does not answer
      return undefined
    },
    step: async (_name, work) => await work(),
    tuning: { stopGraceSeconds: 1 },
    now: () => new Date(),
    onChanged: () => undefined,
  })
  const refused: unknown[] = []
  const asked = Array.from(
    { length: 50 },
    async () => await containers.logs({ id: 1 }, slow, {}).catch((cause: unknown) => refused.push(cause)),
  )
  await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(28)
  expect(reading).toBe(2)
  expect(refused[0]).toMatchObject({
    code: 'server_busy',
    message: 'Too many logs are being read at this moment; try again in a few seconds.',
  })
  expect(await containers.logs({ id: 2 }, other, {})).toEqual({ logs: '' })
  isOver.resolve()
  await Promise.all(asked)
})

it('those who ask for the usage of an app while it is measured share one measurement', async () => {
  await using test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const isOver = Promise.withResolvers<void>()
  let measured = 0
  const usage = createUsage({
    engine: createEngine({
      address: { socketPath: '/nowhere' },
      log: { info: () => undefined, warn: () => undefined },
      now: () => new Date(),
    }),
    async liveRelease() {
      measured += 1
      await isOver.promise
      return undefined
    },
    whenReachable: async (work) => await work(),
  })
  const asked = Array.from({ length: 500 }, async () => await usage({ id: 1 }, app))
  await expect.poll(() => measured, { timeout: 30_000 }).toBe(1)
  isOver.resolve()
  for (const answer of await Promise.all(asked)) expect(answer).toEqual({ cpu: 0, memory: 0, memoryLimit: 0 })
  expect(measured).toBe(1)
  await usage({ id: 1 }, app)
  expect(measured).toBe(2)
})
