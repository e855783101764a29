import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { PLATFORM } from '../../domain/audit.ts'
import type { ComposePlan, HostPort } from '../../engine/compose/stack.ts'
import { QUOTAS } from '../../lib/quota.ts'
import { statusesUnderWay } from '../containers/store.ts'
import { insertDeployment, moveDeployment } from '../deployments/store.ts'
import { createPorts } from './service.ts'
import { createPortSwitches, portsIn } from './switches.ts'

const caller = { id: 1, email: '', role: 'user', createdAt: '', sessionId: '', origin: PLATFORM.origin } as const
const planWith = (ports: readonly HostPort[]): ComposePlan => ({
  services: [
    { name: 'db', image: 'x', environment: {}, restart: { policy: 'no' }, dependsOn: [], mounts: [], ports, aliases: [], capDrop: [] },
  ],
  builds: [],
  routedService: null,
  published: [
    { service: 'db', host: 5432, hostIp: '', container: 5432, protocol: 'tcp' },
    { service: 'db', host: 80, hostIp: '', container: 80, protocol: 'tcp' },
  ],
})
const OPENED: HostPort = { host: 5433, hostIp: '127.0.0.1', container: 5432, protocol: 'tcp' }

async function lab(test: Awaited<ReturnType<typeof openTestDatabase>>) {
  const { db } = test
  const [one, two] = [await addApp(db, 'a@example.test'), await addApp(db, 'b@example.test')]
  const state: { live: ComposePlan | undefined } = { live: undefined }
  const reservedPorts = async () => [8082]
  const switches = createPortSwitches({
    db,
    now: () => new Date(0),
    reservedPorts,
    livePlan: async () => state.live,
    statusesUnderWay,
  })
  const compose = { app_type: 'compose' } as const
  return {
    ...switches,
    ports: createPorts({ db, reservedPorts }),
    one: { ...one, ...compose },
    two: { ...two, ...compose },
    other: two,
    state,
  }
}

it('a port of the machine has one owner, and is opened on loopback unless somebody says otherwise', async () => {
  await using test = await openTestDatabase()
  const { open, one, two, other, ports } = await lab(test)
  const db = { service: 'db', port: 5432, hostPort: 5433 }
  expect(await open(caller, one, db)).toEqual([
    { service: 'db', port: 5432, protocol: 'tcp', hostPort: 5433, address: '127.0.0.1', isOn: true, isOpen: false },
  ])
  await expect(open(caller, two, db)).rejects.toThrow('hostPort: must not belong to another app')
  await expect(open(caller, one, { ...db, service: 'web' })).rejects.toThrow('it leads to db')
  await expect(open(caller, one, { ...db, hostPort: 8082 })).rejects.toThrow('must not be a port of the platform')
  await expect(open(caller, other, { ...db, hostPort: 9000 })).rejects.toThrow('must be a compose app')
  await open(caller, two, { ...db, protocol: 'udp', address: '0.0.0.0' }) // another port of the machine
  expect((await ports.list()).map(({ appId, protocol, address }) => [appId, protocol, address])).toEqual([
    [one.id, 'tcp', '127.0.0.1'],
    [two.id, 'udp', '0.0.0.0'],
  ])
})

it('an app has twenty of them at most', async () => {
  await using test = await openTestDatabase()
  const { open, one } = await lab(test)
  for (let n = 0; n < 20; n += 1) await open(caller, one, { service: 'db', port: 1 + n, hostPort: 20_000 + n })
  await expect(open(caller, one, { service: 'db', port: 99, hostPort: 20_099 })).rejects.toThrow('at most 20 open ports')
  expect(await open(caller, one, { service: 'db', port: 1, hostPort: 20_099 })).toHaveLength(20)
})

it('ports that were closed and are not free yet count too', async () => {
  await using test = await openTestDatabase()
  const { open, close, one, ports } = await lab(test)
  const { id } = await addDeployment(test.db, one, { sealed_config: '', image: '' })
  for (let n = 0; n < 20; n += 1) {
    await open(caller, one, { service: 'db', port: 1, hostPort: 20_000 + n })
    await close(caller, one, { service: 'db', port: 1 })
  }
  const another = { service: 'db', port: 1, hostPort: 20_099 }
  await expect(open(caller, one, another)).rejects.toThrow('at most 20 open ports')
  await open(caller, one, { ...another, hostPort: 20_000 }) // its own
  await expect(open(caller, one, another), 'instead of that one').rejects.toThrow('at most 20 open ports')
  const kept = await ports.list()
  expect([kept.length, kept.filter(({ isWanted }) => isWanted).map(({ port }) => port)]).toEqual([20, [20_000]])
  await test.db.transaction(async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'failed', at: new Date() }))
  await open(caller, one, another)
  expect(await ports.list()).toHaveLength(20)
})

it('the projects of one person have a number of them that they share', async () => {
  await using test = await openTestDatabase()
  const { open, one, two } = await lab(test)
  const owner_id = one.created_by
  await test.db.transaction(async (tx) => {
    await tx.updateTable('user').set({ role: 'user' }).execute()
    const project = { name: 'p', slug: 'p', description: '', tags: '', owner_id, created_at: '', updated_at: '' }
    const second = await tx.insertInto('project').values(project).returning('id').executeTakeFirstOrThrow()
    const { id: _, ...copy } = { ...one, project_id: second.id }
    const app = await tx.insertInto('app').values(copy).returning('id').executeTakeFirstOrThrow()
    const row = { protocol: 'tcp', since: '', service: 'db', address: '', is_wanted: 0, app_id: app.id } as const
    const ports = Array.from({ length: QUOTAS.portsOfUser }, (_each, n) => ({ ...row, port: 20_000 + n, target: n }))
    await tx.insertInto('published_port').values(ports).execute()
  })
  const another = { service: 'db', port: 1, hostPort: 30_000 }
  await expect(open(caller, one, another)).rejects.toThrow("a person's projects can have at most 200 open ports")
  expect(await open(caller, two, another), 'of somebody else').toHaveLength(1)
})

it('a port that was closed while a deployment waits is free at once', async () => {
  await using test = await openTestDatabase()
  const { open, close, one, two, ports } = await lab(test)
  const waiting = { app: one, trigger: 'manual', triggeredBy: null, commit: { hash: '', message: '', author: '' }, at: new Date() } as const
  await test.db.transaction(async (tx) => await insertDeployment(tx, waiting))
  const db = { service: 'db', port: 5432, hostPort: 5433 }
  await open(caller, one, db)
  await close(caller, one, db)
  expect(await ports.list()).toEqual([])
  await open(caller, two, db)
})

it('a port that was closed stays with its app while a release has it or is about to, and is free after that', async () => {
  await using test = await openTestDatabase()
  const { open, close, one, two, ports, state } = await lab(test)
  const db = { service: 'db', port: 5432, hostPort: 5433 }
  await open(caller, one, db)
  await close(caller, one, db)
  await open(caller, two, db) // it was never open
  await close(caller, two, db)
  await open(caller, one, db)
  state.live = planWith([OPENED])
  expect((await close(caller, one, db))[0]).toMatchObject({ hostPort: 5433, isOn: false, isOpen: true })
  await expect(open(caller, two, db)).rejects.toThrow('must not belong to another app')
  expect(await ports.list()).toMatchObject([{ port: 5433, isWanted: false }])
  await ports.keepOnly(one.id, async () => [{ port: 5433, protocol: 'tcp' }]) // a deployment failed, and the release before is back
  expect(await ports.list()).toHaveLength(1)
  await ports.keepOnly(one.id, async () => [])
  expect(await ports.list()).toEqual([])

  state.live = undefined
  await open(caller, one, db)
  await addDeployment(test.db, one, { sealed_config: '', image: '' })
  await close(caller, one, db)
  expect(await ports.list()).toMatchObject([{ isWanted: false }])
  expect(await ports.wantedOf(one.id)).toEqual([])
  await expect(close(caller, one, db)).rejects.toThrow('port: must be an open port of the service db')
})

it('what the file publishes is offered, above the ports that are for the platform alone', () => {
  const offered = { service: 'db', protocol: 'tcp', address: '127.0.0.1', isOn: false, isOpen: false }
  expect(portsIn([], planWith([]))).toEqual([
    { ...offered, port: 5432, hostPort: 5432 },
    { ...offered, port: 80, hostPort: 8080 },
  ])
  const wanted = { service: 'db', target: 5432, protocol: 'tcp', port: 5433, address: '127.0.0.1' } as const
  expect(portsIn([wanted], planWith([OPENED]))).toMatchObject([{ hostPort: 5433, isOn: true, isOpen: true }, { hostPort: 8080 }])
  expect(portsIn([{ ...wanted, address: '0.0.0.0' }], planWith([OPENED])).slice(0, 2)).toMatchObject([
    { address: '0.0.0.0', isOn: true, isOpen: false },
    { address: '127.0.0.1', isOn: false, isOpen: true },
  ])
})
