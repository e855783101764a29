import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addApp, addDeployment } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { startTestEdge } from '../../testing/harness/test-edge.ts'
import { createHaproxyRuntime } from '../edge/haproxy/runtime.ts'
import type { MapName } from '../edge/paths.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import { labelsOf, ownerOf, projectNetworkName } from '../engine/labels.ts'
import { moveDeployment } from '../features/deployments/store.ts'
import { createLogger } from '../lib/logger.ts'
import type { Db } from '../store/database.ts'
import { createRouting } from './traffic-switch.ts'
import { createWantedRoutes } from './wanted-routes.ts'

const INSTANCE = 'abc'

type App = { id: number; projectId: number; deploymentId: number }

async function addLiveApp(db: Db, name: string): Promise<App> {
  const app = await addApp(db, `${name}@example.test`)
  const { id } = await addDeployment(db, app, { sealed_config: 'x', image: 'i' })
  await db.transaction(async (tx) => {
    await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date(), change: { is_active: 1 } })
  })
  await addDomain(db, app.id, `${name}.test`)
  return { id: app.id, projectId: app.project_id, deploymentId: id }
}

async function addDomain(db: Db, appId: number, host: string, endpoint: { service?: string; port?: number } = {}): Promise<void> {
  const at = new Date().toISOString()
  const states = { ssl_status: 'none', ssl_error: '', dns_status: 'ok', dns_error: '', own_certificate: 0 } as const
  const row = { app_id: appId, host, generated: 0, redirect_https: 1, hsts: 0, ...states, ...endpoint, created_at: at } as const
  await db.transaction(async (tx) => {
    await tx.insertInto('domain').values(row).execute()
  })
}

function containerOf({ id: appId, projectId, deploymentId }: App, ip: string, service?: string): ContainerSummary {
  const owner = ownerOf(labelsOf({ instance: INSTANCE, kind: 'app', projectId, appId, deploymentId, ...(service && { service }) }))
  const ips = { [projectNetworkName(INSTANCE, projectId)]: ip }
  return { id: ip, name: ip, image: '', state: 'running', status: '', createdAt: '', ips, owner }
}

/** At the border to the engine: what it would list, and every question that it was asked. */
function createCountedEngine() {
  const running: ContainerSummary[] = []
  const asked: (string | undefined)[] = []
  let before: () => Promise<void> = async () => undefined
  const list = async ({ labels }: { labels: Readonly<Record<string, string>> }) => {
    const app = labels['berth.app']
    asked.push(app)
    const found = running.filter(({ owner }) => app === undefined || String(owner.appId) === app)
    await before()
    return found
  }
  return { containers: { list }, running, asked, holdWith: (wait: () => Promise<void>) => (before = wait) }
}

/** Two live apps, with a real database, a real HAProxy, and everything of ours in between. */
async function open() {
  const test = await openTestDatabase()
  const engine = createCountedEngine()
  const releaseOf = () => ({ port: 80, healthcheckPath: '' })
  const probe = async ({ ip }: { ip: string }) => !silent.has(ip)
  const silent = new Set<string>()
  const wanted = createWantedRoutes({ db: test.db, engine, instance: INSTANCE, dashboard: () => undefined, releaseOf, probe })
  let reads = 0
  const edge = await startTestEdge({
    routes: async () => {
      const routes = await wanted.read()
      if (routes !== undefined) reads += 1
      return routes
    },
  })
  const routing = createRouting({
    wanted,
    edge: edge.edge,
    tuning: { drainMs: 20_000 },
    log: createLogger({ level: 'silent', format: 'json', useColours: false }).log,
  })
  const [one, two] = [await addLiveApp(test.db, 'one'), await addLiveApp(test.db, 'two')]
  engine.running.push(containerOf(one, '10.0.0.1'), containerOf(two, '10.0.0.2'))
  const runtime = createHaproxyRuntime({ socketPath: edge.paths.socket })
  const map = async (name: MapName) => {
    const entries = await runtime.readMap(edge.paths.map(name))
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]))
  }
  return {
    ...test,
    wanted,
    silent,
    testEdge: edge,
    engine,
    routing,
    map,
    one,
    two,
    reads: () => reads,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
    },
  }
}

it('a switch lists its own app in the engine once, and keeps the last known state of all others', async () => {
  await using world = await open()
  const { engine, routing, map, db, one, two } = world
  expect(await routing.sync()).toBeUndefined()
  const at = await map('apps')
  expect(Object.values(at).sort()).toEqual(['10.0.0.1|80', '10.0.0.2|80'])

  engine.asked.length = 0
  engine.running.splice(1, 1, containerOf(two, '10.0.0.22'), containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await addDomain(db, two.id, 'unheard.test')
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  expect(engine.asked).toEqual([String(one.id)])
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.2|80'])
  expect(Object.keys(await map('hosts')).sort()).toEqual(['one.test', 'two.test'])

  await routing.restore(one.id)
  expect(new Set(engine.asked)).toEqual(new Set([String(one.id)]))
  expect(await map('apps')).toEqual(at)

  await routing.sync() // the truth: everything is compared
  expect(engine.asked.at(-1)).toBeUndefined()
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.1|80', '10.0.0.22|80'])
  expect(Object.keys(await map('hosts')).sort()).toEqual(['one.test', 'two.test', 'unheard.test'])
})

it('a domain reaches the edge without a question to the engine, even while that does not answer', async () => {
  await using world = await open()
  const { engine, routing, map, db, one } = world
  await routing.sync()
  engine.asked.length = 0
  const answers = Promise.withResolvers<void>()
  engine.holdWith(() => answers.promise)
  const waiting = routing.sync()
  await addDomain(db, one.id, 'new.test')
  routing.rowsChanged()
  await expect.poll(async () => Object.keys(await map('hosts')), { timeout: 20_000 }).toContain('new.test')
  expect(engine.asked).toEqual([undefined])
  answers.resolve()
  await waiting
})

it('an app that is being stopped gets its page at once, whatever its container does', async () => {
  await using world = await open()
  const { engine, routing, map, db, one } = world
  await routing.sync()
  engine.asked.length = 0
  await db.transaction(async (tx) => {
    await tx.updateTable('app').set({ wanted: 'stopped' }).where('id', '=', one.id).execute()
  })
  routing.rowsChanged()
  await expect.poll(async () => Object.values(await map('apps')), { timeout: 20_000 }).toContain('stopped')
  expect(engine.asked).toEqual([])
})

it('a listing of all containers that started before a switch does not undo it by ending later', async () => {
  await using world = await open()
  const { engine, routing, map, one } = world
  await routing.sync()
  const answers = Promise.withResolvers<void>()
  engine.holdWith(() => answers.promise)
  const older = routing.sync()
  await expect.poll(() => engine.asked.length).toBe(2)
  engine.holdWith(async () => undefined)
  engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  answers.resolve()
  await older
  expect(Object.values(await map('apps'))).toContain('10.0.0.11|80!10.0.0.1|80')
})

it('changes that come at once wait in one queue, and share what follows the one under way', async () => {
  await using world = await open()
  const { routing, reads, one, two } = world
  await routing.sync()
  const before = reads()
  await Promise.all(Array.from({ length: 20 }, async (_, n) => await routing.sync((n % 2 === 0 ? one : two).id)))
  expect(reads() - before).toBeLessThan(20)
})

it('the edge is not updated before all containers have been listed once', async () => {
  await using world = await open()
  const { engine, routing, map, one, reads } = world
  const away = new EngineUnreachable('nobody listens')
  engine.holdWith(async () => {
    throw away
  })
  expect(await routing.sync()).toBe(away)
  routing.rowsChanged()
  expect(await routing.sync(one.id)).toBe(away)
  expect(reads()).toBe(0)
  engine.holdWith(async () => undefined)
  engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  expect(new Set(engine.asked)).toEqual(new Set([undefined])) // the first look is at everything
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.2|80'])
})

describe('of an app whose services have domains of their own', () => {
  /** A request to the service `api` that is answered when told to, and what happened in which order. */
  async function openSlowly(world: Awaited<ReturnType<typeof open>>) {
    const events: string[] = []
    const arrived = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const backend = createServer((_request, response) => {
      arrived.resolve()
      void answer.promise.then(() => {
        events.push('answered')
        response.end('late')
      })
    })
    await once(backend.listen(0, '127.0.0.1'), 'listening')
    const { port } = backend.address() as AddressInfo // a listening TCP server has one
    await addDomain(world.db, world.one.id, 'api.test', { service: 'api', port })
    const request = async () => {
      const asked = get({ port: world.testEdge.httpPort, headers: { host: 'api.test' } })
      const body = once(asked, 'response').then(async ([response]: IncomingMessage[]) => (response ? await text(response) : ''))
      await arrived.promise
      return { body }
    }
    return { backend, events, request, answer: answer.resolve }
  }

  it('a drain waits for the requests of each of them', async () => {
    await using world = await open()
    const { engine, routing, one } = world
    const slow = await openSlowly(world)
    await using _backend = slow.backend
    await world.db.transaction(async (tx) => {
      await tx.updateTable('deployment').set({ main_service: 'web', image: '' }).where('id', '=', one.deploymentId).execute()
    })
    engine.running.splice(0, 1, containerOf(one, '10.0.0.1', 'web'), containerOf(one, '127.0.0.1', 'api'))
    await routing.sync()
    const { body } = await slow.request()
    const next = { ...one, deploymentId: 99 }
    engine.running.push(containerOf(next, '10.0.0.11', 'web'), containerOf(next, '10.0.0.12', 'api'))
    await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80, services: new Map([['api', ['10.0.0.12']]]) })
    const drained = routing.drain(one.id, new AbortController().signal).then(() => slow.events.push('drained'))
    await sleep(1500) // far longer than a drain without requests takes
    slow.answer()
    expect(await body).toBe('late')
    await drained
    expect(slow.events).toEqual(['answered', 'drained'])
  })

  it('a release that is taken back finishes the requests of each of them', async () => {
    await using world = await open()
    const { engine, routing, one } = world
    const slow = await openSlowly(world)
    await using _backend = slow.backend
    await routing.sync()
    const next = { ...one, deploymentId: 99 }
    engine.running.push(containerOf(next, '10.0.0.11', 'web'), containerOf(next, '127.0.0.1', 'api'))
    await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80, services: new Map([['api', ['127.0.0.1']]]) })
    const { body } = await slow.request()
    const restored = routing.restore(one.id).then(() => slow.events.push('restored'))
    await sleep(1500)
    slow.answer()
    expect(await body).toBe('late')
    await restored
    expect(slow.events).toEqual(['answered', 'restored'])
  })

  it('what a crash left running is found at the ports of the services too', async () => {
    await using world = await open()
    const { engine, db, one } = world
    await addDomain(db, one.id, 'api.test', { service: 'api', port: 9000 })
    engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.12', 'api'))
    expect(await world.wanted.strays()).toContainEqual([{ ip: '10.0.0.12', port: 9000 }])
  })
})
