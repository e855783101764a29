import { randomInt } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { ownedBy } from '../../src/engine/labels.ts'
import { removeFirewalls } from '../../src/provision/firewalls.ts'
import { connectionOptions } from '../../src/store/postgres/connection.ts'
import { engineSocketPath } from '../harness/engine-proxy.ts'
import { startGitServer } from '../harness/git-server.ts'
import { freePort } from '../harness/listening.ts'
import { startPostgres } from '../harness/postgres-cluster.ts'
import { type PostgresRelay, startPostgresRelay } from '../harness/postgres-relay.ts'
import { newDataDir, startTestServer, type TestServer } from '../harness/start-test-server.ts'
import { ensureBusybox } from '../images/test-images.ts'
import { webFiles } from './deploy-lab.ts'

const TUNING = { stabilityMs: 200, drainMs: 100, stopGraceSeconds: 0, healthIntervalMs: 100, reconcileMs: 2000, resolveAtAddMs: 5000 }

type Options = {
  /** Each node has an edge, all of them on the same ports. */
  hasEdges?: boolean
  tuning?: Record<string, number>
}

/** Several real control planes, as processes, on one PostgreSQL server and the real engine. */
export async function openNodesLab(names: readonly string[], { hasEdges = false, tuning = {} }: Options = {}) {
  const engine = createEngine({
    address: { socketPath: engineSocketPath() },
    log: { info: () => undefined, warn: () => undefined },
    now: () => new Date(),
  })
  await ensureBusybox(engine)
  await using cleanUp = new AsyncDisposableStack()
  const postgres = cleanUp.use(await startPostgres())
  const git = cleanUp.use(await startGitServer())
  const url = await postgres.createDatabase()
  const client = new pg.Pool({ ...connectionOptions(url), max: 2 })
  cleanUp.defer(async () => await client.end())
  const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows
  const ports = { httpPort: await freePort(), httpsPort: await freePort() }
  const nodes = new Map<string, { server: TestServer; relay: PostgresRelay }>()
  const node = (name: string) => {
    const found = nodes.get(name)
    if (!found) throw new Error(`there is no node ${name}`)
    return found
  }
  for (const name of names) {
    const relay = cleanUp.use(await startPostgresRelay(url))
    const dataDir = await newDataDir()
    cleanUp.defer(async () => await rm(dataDir, { recursive: true, force: true }))
    const [first] = nodes.values()
    if (first)
      for (const key of ['secrets.key', 'session.key']) await copyFile(path.join(first.server.dataDir, key), path.join(dataDir, key))
    const controlPort = await freePort()
    if (hasEdges) cleanUp.defer(async () => await removeFirewalls(controlPort))
    const env = { ...environmentOf(name, relay.url), ...(hasEdges && edgeEnvironment(controlPort, ports)) }
    const server = await startTestServer({ runs: 'as a process', dataDir, env, tuning: { ...TUNING, ...tuning } })
    nodes.set(name, { server, relay })
    // images are named by the ids of apps and deployments, so two servers on one engine must not use the same ids
    if (nodes.size === 1)
      for (const table of ['app', 'deployment', 'project'])
        await rows(`select setval(pg_get_serial_sequence('${table}', 'id'), ${randomInt(1, 1_000_000) * 1000})`)
  }
  const [{ value: instance } = { value: '' }] = await rows<{ value: string }>(`select value from fact where name = 'instance_id'`)
  const labels = ownedBy({ instance })
  cleanUp.defer(async () => await removeFromEngine(engine, labels))
  for (const { server } of nodes.values()) cleanUp.use(server)
  const owned = cleanUp.move()
  return {
    rows,
    git,
    engine,
    labels,
    instance,
    ports,
    createApps: async (count: number) => await createApps(node(names[0] ?? '').server, git, count),
    node: (name: string): TestServer => node(name).server,
    relay: (name: string): PostgresRelay => node(name).relay,
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  }
}

export type NodesLab = Awaited<ReturnType<typeof openNodesLab>>

function environmentOf(name: string, url: string): Record<string, string> {
  return { DOCKER_HOST: `unix://${engineSocketPath()}`, BERTH_WORKERS: '4', BERTH_DATABASE_URL: url, BERTH_NODE_NAME: name }
}

function edgeEnvironment(port: number, { httpPort, httpsPort }: { httpPort: number; httpsPort: number }): Record<string, string> {
  const edge = { BERTH_EDGE_HTTP_PORT: String(httpPort), BERTH_EDGE_HTTPS_PORT: String(httpsPort) }
  return { HOST: '0.0.0.0', PORT: String(port), BERTH_PROVISION: 'auto', ...edge }
}

async function createApps(node: TestServer, git: Awaited<ReturnType<typeof startGitServer>>, count: number) {
  const owner = await node.owner()
  const project = await owner.call('projects.create', { name: 'Nodes' })
  const make = async (_unused: unknown, n: number) => {
    const repository = await git.createRepository({ files: webFiles(`app ${n}`) })
    const source = { gitCloneUrl: repository.url, gitBranch: 'main' }
    const app = await owner.call('apps.create', { name: `app ${n}`, projectId: project.id, port: 8080, ...source })
    return { id: app.id, commit: async (body: string) => void (await repository.commit({ files: webFiles(body) })) }
  }
  return await Promise.all(Array.from({ length: count }, make))
}

async function removeFromEngine(engine: Engine, labels: ReturnType<typeof ownedBy>): Promise<void> {
  for (const { id } of await engine.containers.list({ labels })) await engine.containers.remove(id)
  for (const { id } of await engine.networks.list({ labels })) await engine.networks.remove(id)
  for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
}
