import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { addApp, asCall } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { PLATFORM } from '../../domain/audit.ts'
import { createEngine } from '../../engine/engine.ts'
import { createStopInTime } from '../../engine/stop-in-time.ts'
import { AppError } from '../../lib/app-error.ts'
import type { LiveRelease } from './live-release.ts'
import { createContainers } from './service.ts'
import { createUsage } from './usage.ts'

/** The containers of one app never answer, like an engine that hangs. */
async function open(test: Awaited<ReturnType<typeof openTestDatabase>>) {
  const silent = { info: () => undefined, warn: () => undefined }
  const [slow, other] = [await addApp(test.db, 'a@example.test'), await addApp(test.db, 'b@example.test')]
  const isOver = Promise.withResolvers<void>()
  let working = 0
  const containers = createContainers({
    db: test.db,
    engine: createEngine({ address: { socketPath: '/nowhere' }, log: silent, now: () => new Date() }), // never called
    livePlaces: async () => [],
    lastFailedLog: async () => '',
    async liveRelease(app) {
      if (app.id !== slow.id) return undefined
      working += 1
      await isOver.promise
      return undefined
    },
    step: async (_name, work) => await work(),
    stopInTime: { stop: async () => undefined, restart: async () => undefined }, // likewise
    restartInTurn: async () => undefined,
    now: () => new Date(),
    onWanted: () => undefined,
    onChanged: () => undefined,
  })
  return { containers, slow, other, working: () => working, end: isOver.resolve }
}

it('one person can use two of the slots for reading logs, and is refused beyond a queue', async () => {
  await using test = await openTestDatabase()
  const { containers, slow, other, working, end } = await open(test)
  const refused: unknown[] = []
  const asked = Array.from(
    { length: 50 },
    async () => await containers.logs({ id: 1 }, slow, {}).catch((cause: unknown) => refused.push(cause)),
  )
  await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(28)
  expect(working()).toBe(2)
  expect(refused[0]).toMatchObject({
    code: 'server_busy',
    message: 'Too many logs are being read. Try again in a few seconds.',
  })
  expect(await containers.logs({ id: 2 }, other, {})).toEqual({ logs: '' })
  end()
  await Promise.all(asked)
})

it('one person can read the status of eight apps at once, without blocking others, and is refused beyond a queue', async () => {
  await using test = await openTestDatabase()
  const { containers, slow, other, working, end } = await open(test)
  const codes: unknown[] = []
  const asked = Array.from(
    { length: 300 },
    async () =>
      await containers.status({ id: 1 }, slow).catch((cause: unknown) => codes.push(cause instanceof AppError ? cause.code : cause)),
  )
  await expect.poll(() => codes.length, { timeout: 30_000 }).toBe(92)
  expect(new Set(codes)).toEqual(new Set(['server_busy']))
  expect(working()).toBe(8)
  expect(await containers.status({ id: 2 }, other)).toMatchObject({ state: 'not_deployed' })
  end()
  await Promise.all(asked)
})

it('one person can start, stop and restart four apps at once, without blocking others, and is refused beyond a queue', async () => {
  await using test = await openTestDatabase()
  const { containers, slow, other, working, end } = await open(test)
  const caller = (id: number) => ({ id, email: '', role: 'user', createdAt: '', sessionId: '', origin: PLATFORM.origin }) as const
  const codes: unknown[] = []
  const asked = Array.from({ length: 300 }, async (_each, n) => {
    const verb = (['start', 'stop', 'restart'] as const)[n % 3] ?? 'stop'
    await containers
      .apply(asCall(caller(1), slow), { verb })
      .catch((cause: unknown) => codes.push(cause instanceof AppError ? cause.code : cause))
  })
  await expect.poll(() => codes.length, { timeout: 30_000 }).toBe(96)
  expect(new Set(codes)).toEqual(new Set(['server_busy']))
  expect(working()).toBe(4)
  await expect(containers.apply(asCall(caller(2), other), { verb: 'stop' })).rejects.toMatchObject({ code: 'no_container' }) // at once
  end()
  await Promise.all(asked)
  expect(working()).toBe(204)
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

it('a stop of what is stopped already writes nothing', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const stops: string[] = []
  const server = http.createServer((request, response) => {
    if (request.url === '/_ping') return void response.writeHead(200, { 'api-version': '1.47' }).end('OK')
    if (request.method === 'POST') stops.push(request.url ?? '')
    response.writeHead(request.method === 'POST' ? 204 : 404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  const app = await addApp(db, 'a@example.test')
  const engine = createEngine({
    address: { host: '127.0.0.1', port },
    log: { info: () => undefined, warn: () => undefined },
    now: () => new Date(),
  })
  const containers = createContainers({
    db,
    engine,
    livePlaces: async () => [],
    lastFailedLog: async () => '',
    liveRelease: async () =>
      ({ deploymentId: 1, processes: '[]', containers: [{ id: 'c1', owner: {} }] }) as unknown as Awaited<ReturnType<LiveRelease>>, // only what is looked at
    step: async (_name, work) => await work(),
    stopInTime: createStopInTime({ engine, graceSeconds: 1 }),
    restartInTurn: async () => undefined, // never called
    now: () => new Date(),
    onWanted: () => undefined,
    onChanged: () => undefined,
  })
  const caller = { id: app.created_by, email: '', role: 'user', createdAt: '', sessionId: '', origin: PLATFORM.origin } as const
  const lost = async () => await Promise.reject(new AppError('app_not_found'))
  await expect(containers.apply({ caller, app, again: lost }, { verb: 'stop' })).rejects.toMatchObject({ code: 'app_not_found' })
  expect(stops).toEqual([]) // rights that were lost while it waited for its turn
  for (let n = 0; n < 3; n += 1) await containers.apply(asCall(caller, app), { verb: 'stop' })
  server.closeAllConnections()
  server.close()
  expect(stops).toHaveLength(3) // the engine is told each time, in case the container was started beside us
  expect(await db.selectFrom('audit').select('action').execute()).toEqual([{ action: 'container.stop' }])
})
