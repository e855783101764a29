import { randomInt } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { createEngine } from '../../src/engine/engine.ts'
import { ownedBy } from '../../src/engine/labels.ts'
import { connectionOptions } from '../../src/store/postgres/connection.ts'
import { engineSocketPath } from '../../testing/harness/engine-proxy.ts'
import { startGitServer } from '../../testing/harness/git-server.ts'
import { startPostgres } from '../../testing/harness/postgres-cluster.ts'
import { newDataDir, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { ensureBusybox } from '../../testing/images/test-images.ts'
import { webFiles } from '../../testing/labs/deploy-lab.ts'

const TUNING = { stabilityMs: 200, drainMs: 100, stopGraceSeconds: 0, healthIntervalMs: 100, reconcileMs: 2000, resolveAtAddMs: 5000 }

/** Several real control planes, as processes, on one PostgreSQL server and the real engine. */
export async function openNodesLab(names: readonly string[]) {
  const socketPath = engineSocketPath()
  const engine = createEngine({
    address: { socketPath },
    log: { info: () => undefined, warn: () => undefined },
    now: () => new Date(),
  })
  await ensureBusybox(engine)
  const [git, postgres] = [await startGitServer(), await startPostgres()]
  const url = await postgres.createDatabase()
  const nodes = new Map<string, TestServer>()
  const directories: string[] = []

  async function start(name: string): Promise<TestServer> {
    const dataDir = await newDataDir()
    const [first] = directories
    directories.push(dataDir)
    if (first !== undefined)
      for (const key of ['secrets.key', 'session.key']) await copyFile(path.join(first, key), path.join(dataDir, key))
    const env = { DOCKER_HOST: `unix://${socketPath}`, BERTH_WORKERS: '4', BERTH_DATABASE_URL: url, BERTH_NODE_NAME: name }
    const node = await startTestServer({ runs: 'as a process', dataDir, env, tuning: TUNING })
    nodes.set(name, node)
    return node
  }

  const client = new pg.Client(connectionOptions(url))
  await client.connect()
  const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows
  for (const name of names) {
    await start(name)
    // images are named by the ids of apps and deployments, so two servers on one engine must not use the same ids
    if (nodes.size === 1)
      for (const table of ['app', 'deployment'])
        await rows(`select setval(pg_get_serial_sequence('${table}', 'id'), ${randomInt(1, 1_000_000) * 1000})`)
  }
  const [{ value: instance } = { value: '' }] = await rows<{ value: string }>(`select value from fact where name = 'instance_id'`)
  const labels = ownedBy({ instance })

  async function createApps(count: number): Promise<number[]> {
    const [node] = nodes.values()
    if (!node) throw new Error('there is no node')
    const owner = await node.owner()
    const project = await owner.call('projects.create', { name: 'Nodes' })
    const make = async (_unused: unknown, n: number) => {
      const { url: gitCloneUrl } = await git.createRepository({ files: webFiles(`app ${n}`) })
      return (await owner.call('apps.create', { name: `app ${n}`, projectId: project.id, port: 8080, gitCloneUrl, gitBranch: 'main' })).id
    }
    return await Promise.all(Array.from({ length: count }, make))
  }

  return {
    rows,
    engine,
    labels,
    createApps,
    node: (name: string): TestServer => {
      const node = nodes.get(name)
      if (!node) throw new Error(`there is no node ${name}`)
      return node
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const node of nodes.values()) await node[Symbol.asyncDispose]()
      await client.end()
      await git[Symbol.asyncDispose]()
      await postgres[Symbol.asyncDispose]()
      for (const { id } of await engine.containers.list({ labels })) await engine.containers.remove(id)
      for (const { name } of await engine.networks.list({ labels })) await engine.networks.remove(name)
      for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
      for (const directory of directories) await rm(directory, { recursive: true, force: true })
    },
  }
}
