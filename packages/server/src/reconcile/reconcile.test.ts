import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addLiveRelease } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { planCompose } from '../engine/compose/policy.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import type { Engine } from '../engine/engine.ts'
import { keepPlan, planDirectory, withOpenPorts } from '../features/deployments/release/compose/plan.ts'
import { createSettlePorts } from '../features/deployments/release/compose/settle-ports.ts'
import { createPorts } from '../features/ports/service.ts'
import { savePort, setUnwanted } from '../features/ports/store.ts'
import { createReconcile } from './reconcile.ts'

const OPEN = { service: 'web', target: 80, protocol: 'tcp', address: '127.0.0.1' } as const

/** The parts of the loop that have nothing to do here. */
const NOTHING_ELSE = {
  instance: 'i',
  busyLanes: async () => new Set<string>(),
  lastLines: async () => [],
  redact: async (_app: unknown, lines: readonly string[]) => [...lines],
  repair: () => 'nothing' as const,
  comeHome: async (_app: unknown, live: readonly ContainerSummary[]) => live,
  sweep: async () => undefined,
  sweepEveryMs: 0,
  isAsPlanned: async () => true,
  restore: async () => undefined,
  now: () => new Date(),
  log: pino({ level: 'silent' }),
  onChanged: () => undefined,
}

it('ports that were closed are free once no release has them, however the deployment ended that was to close them', async () => {
  await using test = await openTestDatabase()
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-reconcile-'))
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const { id } = await addLiveRelease(db, app, { main_service: 'web' })
  await db.transaction(async (tx) => {
    await tx.updateTable('app').set({ app_type: 'compose', wanted: 'stopped' }).execute()
    for (const port of [8001, 8002, 8003]) await savePort(tx, { ...OPEN, port }, { appId: app.id, at: new Date() })
    for (const port of [8001, 8002]) await setUnwanted(tx, { port, protocol: 'tcp' })
  })
  const settings = { env: {}, volumePrefix: 'berth-abc-app-1', port: null, reservedPorts: [], newImageName: () => '' }
  const plan = withOpenPorts(planCompose('services: { web: { image: "x" } }', settings), [{ ...OPEN, port: 8001 }])
  await keepPlan(planDirectory(directory.path, app.id, id), plan)
  const ports = createPorts({ db, reservedPorts: async () => [] })
  const { reconcile } = createReconcile({
    db,
    engine: { containers: { list: async () => [] } } as unknown as Engine, // nothing else is asked about an app that is stopped
    ...NOTHING_ELSE,
    doAnswer: async () => true,
    settlePorts: createSettlePorts({ dataDir: directory.path, ports }),
  })
  await reconcile(new AbortController().signal)
  expect((await ports.list()).map(({ port, isWanted }) => [port, isWanted])).toEqual([
    [8001, false], // the live release has it
    [8003, true],
  ])
})

it('keeps why a replica did not become healthy until all of them answer', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const { id } = await addLiveRelease(db, app)
  const reason = 'Replica 2: nothing responds on port 3000.'
  await db.transaction(async (tx) => {
    await tx.updateTable('app').set({ replicas: 2, status: 'running', status_reason: reason }).execute()
  })
  const owner = { appId: app.id, deploymentId: id, service: null }
  const containers = ['running', 'restarting'].map((state, index) => ({ id: `c${index}`, state, owner: { ...owner, replica: index + 1 } }))
  let doAnswer = false
  const { reconcile } = createReconcile({
    db,
    engine: { containers: { list: async () => containers } } as unknown as Engine, // nothing else is asked while one serves
    ...NOTHING_ELSE,
    doAnswer: async () => doAnswer,
    settlePorts: async () => undefined,
  })
  const seen = async () => {
    await reconcile(new AbortController().signal)
    return await db.selectFrom('app').select(['status', 'status_reason']).executeTakeFirstOrThrow()
  }
  expect(await seen()).toEqual({ status: 'running', status_reason: reason })
  doAnswer = true
  expect(await seen()).toEqual({ status: 'running', status_reason: '' })
})

it('sweeps at the first pass, and not at each that an event brings', async () => {
  await using test = await openTestDatabase()
  let sweeps = 0
  const passesWith = async (sweepEveryMs: number) => {
    const { reconcile } = createReconcile({
      db: test.db,
      engine: { containers: { list: async () => [] } } as unknown as Engine, // there are no apps
      ...NOTHING_ELSE,
      doAnswer: async () => true,
      settlePorts: async () => undefined,
      sweep: async () => void (sweeps += 1),
      sweepEveryMs,
    })
    sweeps = 0
    for (let pass = 0; pass < 3; pass += 1) await reconcile(new AbortController().signal)
    return sweeps
  }
  expect(await passesWith(60_000)).toBe(1)
  expect(await passesWith(0)).toBe(3)
})

it('does not read the output of a container that crashes again and again each time', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const { id } = await addLiveRelease(db, app)
  const crashed = { id: 'c', state: 'restarting', exitCode: 3, owner: { appId: app.id, deploymentId: id, service: null, replica: 1 } }
  const engine = { containers: { list: async () => [crashed], inspect: async () => crashed } } as unknown as Engine // what is asked of it
  let [reads, minutes] = [0, 0]
  const { reconcile } = createReconcile({
    ...NOTHING_ELSE,
    db,
    engine,
    doAnswer: async () => true,
    settlePorts: async () => undefined,
    now: () => new Date(Date.UTC(2026, 0, 1, 0, minutes)),
    lastLines: async () => [`Error: no way ${(reads += 1)}`],
  })
  for (minutes of [0, 0, 0, 2]) await reconcile(new AbortController().signal)
  expect(reads).toBe(2)
  const { status, status_reason } = await db.selectFrom('app').select(['status', 'status_reason']).executeTakeFirstOrThrow()
  expect([status, status_reason]).toEqual(['error', 'The container exited with code 3: Error: no way 2'])
})
