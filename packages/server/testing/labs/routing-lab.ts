import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createHaproxyRuntime } from '../../src/edge/haproxy/runtime.ts'
import type { MapName } from '../../src/edge/paths.ts'
import type { ContainerSummary } from '../../src/engine/container-state.ts'
import { labelsOf, ownerOf, projectNetworkName } from '../../src/engine/labels.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createRouting } from '../../src/routing/routing.ts'
import { createWantedRoutes } from '../../src/routing/wanted-routes.ts'
import type { Db } from '../../src/store/database.ts'
import { joinNodes } from '../../src/store/presence.ts'
import { addApp, addLiveRelease } from '../harness/stored-app.ts'
import { openTestDatabase } from '../harness/test-database.ts'
import { startTestEdge } from '../harness/test-edge.ts'

const INSTANCE = 'abc'
/** Of generated names. */
const BASE_DOMAIN = 'apps.test'

type App = { id: number; projectId: number; deploymentId: number }

async function addLiveApp(db: Db, name: string): Promise<App> {
  const app = await addApp(db, `${name}@example.test`)
  const { id } = await addLiveRelease(db, app, { sealed_config: 'x' })
  await addDomain(db, app.id, `${name}.test`)
  return { id: app.id, projectId: app.project_id, deploymentId: id }
}

export async function addDomain(db: Db, appId: number, host: string, endpoint: { service?: string; port?: number } = {}): Promise<void> {
  const at = new Date().toISOString()
  const states = { ssl_status: 'none', ssl_error: '', dns_status: 'ok', dns_error: '', own_certificate: 0 } as const
  const row = { app_id: appId, host, generated: 0, redirect_https: 1, hsts: 0, ...states, ...endpoint, created_at: at } as const
  await db.transaction(async (tx) => {
    await tx.insertInto('domain').values(row).execute()
  })
}

export function containerOf({ id: appId, projectId, deploymentId }: App, ip: string, service?: string): ContainerSummary {
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

type Options = {
  healthcheckPath?: string
  drainMs?: number
  /** Of one of several nodes, which share the database and the engine of the first. */
  node?: string
  beside?: Beside
  withinMs?: number
}
type Beside = Awaited<ReturnType<typeof openApps>>

async function openApps() {
  const test = await openTestDatabase()
  const engine = createCountedEngine()
  const [one, two] = [await addLiveApp(test.db, 'one'), await addLiveApp(test.db, 'two')]
  engine.running.push(containerOf(one, '10.0.0.1'), containerOf(two, '10.0.0.2'))
  return { ...test, engine, one, two }
}

async function joinAs(db: Db, name: string) {
  const bootId = randomUUID()
  await db.transaction(async (tx) => await joinNodes(tx, { name, bootId, version: '1', keys: 'same', ports: [] }))
  return { db, bootId }
}

/** Two live apps, with a real database, a real HAProxy, and everything of ours in between. */
export async function openRouting({ healthcheckPath = '', drainMs = 20_000, beside, ...options }: Options = {}) {
  const apps = beside ?? (await openApps())
  const { db, engine, one, two } = apps
  const releaseOf = () => ({ port: 80, healthcheckPath })
  const silent = new Set<string>()
  const probed = new Set<string>()
  const probe = async ({ ip, port }: { ip: string; port: number }, path: string) => {
    probed.add(`${ip}:${port}${path}`)
    return !silent.has(ip)
  }
  const wanted = createWantedRoutes({
    db,
    engine,
    instance: INSTANCE,
    dashboard: () => undefined,
    baseDomain: async () => ({ name: BASE_DOMAIN }),
    releaseOf,
    probe,
  })
  let reads = 0
  const read = async () => {
    reads += 1
    return await wanted.read()
  }
  const edge = await startTestEdge()
  const { log } = createLogger({ level: 'silent', format: 'json', useColours: false })
  const node = options.node === undefined ? undefined : { ...(await joinAs(db, options.node)), ...options }
  const routing = createRouting({ wanted: { ...wanted, read }, edge: edge.edge, tuning: { drainMs }, log, node })
  const runtime = createHaproxyRuntime({ socketPath: edge.paths.socket })
  const map = async (name: MapName) => {
    const entries = await runtime.readMap(edge.paths.map(name))
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]))
  }
  return {
    ...apps,
    wanted,
    silent,
    probed,
    testEdge: edge,
    engine,
    routing,
    map,
    one,
    two,
    reads: () => reads,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      if (beside === undefined) await apps[Symbol.asyncDispose]()
    },
  }
}

/** A request to the service `api` that is answered when told to, and what happened in which order. */
export async function openSlowly(world: Awaited<ReturnType<typeof openRouting>>) {
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
