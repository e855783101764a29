import { randomInt } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Application, ApplicationChange, Deployment, NewApplication } from '@berth/contract'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { readConfig } from '../../src/config.ts'
import type { ContainerSummary } from '../../src/engine/container-state.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { pulledImagesOf } from '../../src/engine/image-names.ts'
import { ownedBy, projectNetworkName } from '../../src/engine/labels.ts'
import { engineSocketPath } from '../harness/engine-proxy.ts'
import { type FileMap, startGitServer } from '../harness/git-server.ts'
import { readPostgresRows } from '../harness/postgres-rows.ts'
import { type Person, startTestServer, type TestServer, type TestServerOptions } from '../harness/start-test-server.ts'
import { writeToDatabase } from '../harness/write-to-database.ts'
import { BUSYBOX_IMAGE, ensureBusybox } from '../images/test-images.ts'

/** Short times for tests; the conditions are the same as in production. */
const TUNING = {
  stabilityMs: 500,
  healthDeadlineMs: 3000,
  healthIntervalMs: 100,
  drainMs: 200,
  stopGraceSeconds: 1,
  reconcileMs: 2000,
  engineWaitMs: 20_000,
  resolveAtAddMs: 5000,
}
const UNFINISHED = ['pending', 'building', 'deploying']

type LabOptions = Pick<TestServerOptions, 'runs' | 'dataDir'> & {
  tuning?: Record<string, number>
  env?: Record<string, string>
  socketPath?: string
}
type Repository = Awaited<ReturnType<Awaited<ReturnType<typeof startGitServer>>['createRepository']>>
export type LabApp = Application & { repository: Repository }

/** A Dockerfile of busybox: its lines, then what the container runs. */
export function dockerfile(lines: readonly string[], command: string): string {
  return [`FROM ${BUSYBOX_IMAGE}`, ...lines, `CMD ["/bin/sh", "-c", ${JSON.stringify(command)}]`, ''].join('\n')
}

/** A web app that answers every request with `body`, on $PORT. */
export function webFiles(body: string, lines: readonly string[] = []): FileMap {
  return {
    Dockerfile: dockerfile(['COPY index.html /www/index.html', ...lines], 'exec httpd -f -p "$PORT" -h /www'),
    'index.html': body,
  }
}

/** Asks until the answer is what was hoped for. Tests wait on conditions, never on time alone. */
export async function until<Value>(
  ask: () => Promise<Value> | Value,
  fits: (value: Value) => boolean,
  limitMs = 120_000,
  everyMs = 50,
): Promise<Value> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await ask()
    if (fits(value)) return value
    if (performance.now() > deadline) throw new Error(`it did not come to be; last seen: ${JSON.stringify(value)?.slice(0, 2000)}`)
    await sleep(everyMs)
  }
}

/** Many tests wait for a deployment at the same time, and each question takes the processor from it. */
export const ENDED_MS = 150

/** The real server, a real engine and a real git server, and helpers for tests of deployments. */
export async function openDeployLab(options: LabOptions = {}) {
  const socketPath = engineSocketPath()
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: { socketPath }, log, now: () => new Date() })
  await ensureBusybox(engine)
  const git = await startGitServer()
  const berth = await startTestServer({
    ...(options.runs && { runs: options.runs }),
    ...(options.dataDir && { dataDir: options.dataDir }),
    tuning: { ...TUNING, ...options.tuning },
    env: { DOCKER_HOST: `unix://${options.socketPath ?? socketPath}`, BERTH_WORKERS: '4', ...options.env },
  })
  const rows = rowsOf(berth)
  const [{ value: instance } = { value: '' }] = rows<{ value: string }>("select value from fact where name = 'instance_id'")
  await seedIds(berth)
  const owner = await berth.owner()
  const labels = ownedBy({ instance })
  const words = createWords({ berth, git, engine, owner, instance, rows })
  const project = await owner.call('projects.create', { name: 'Lab' })

  async function removeEverything(): Promise<void> {
    for (const { id } of [...(await engine.containers.list({ labels })), ...(await engine.lentContainers.list({ labels }))])
      await engine.containers.remove(id)
    for (const { name } of await engine.networks.list({ labels })) await engine.networks.remove(name)
    for (const { name } of await engine.volumes.list({ labels })) await engine.volumes.remove(name)
    for (const { id } of await engine.images.list({ labels })) await engine.images.remove(id)
    for (const name of await engine.images.names(pulledImagesOf(instance))) await engine.images.remove(name)
  }

  return {
    berth,
    git,
    engine,
    instance,
    owner,
    project,
    ...words,
    createApp: async (files: FileMap, change: Partial<NewApplication> = {}, settings: Partial<ApplicationChange> = {}) =>
      await words.createAppIn(project.id, files, { change, settings }),
    async [Symbol.asyncDispose](): Promise<void> {
      await berth[Symbol.asyncDispose]()
      await git[Symbol.asyncDispose]()
      await removeEverything()
    },
  }
}

export type DeployLab = Awaited<ReturnType<typeof openDeployLab>>
type Parts = {
  berth: TestServer
  git: Awaited<ReturnType<typeof startGitServer>>
  engine: Engine
  owner: Person
  instance: string
  rows: Rows
}

function createWords({ berth, git, engine, owner, instance, rows }: Parts) {
  const labels = ownedBy({ instance })
  let made = 0

  async function createAppIn(
    projectId: number,
    files: FileMap,
    given: { change?: Partial<NewApplication>; settings?: Partial<ApplicationChange> } = {},
  ): Promise<LabApp> {
    const number = (made += 1)
    const repository = await git.createRepository({ files })
    const source = { gitCloneUrl: repository.url, gitBranch: 'main' }
    const app = await owner.call('apps.create', { name: `app ${number}`, projectId, port: 8080, ...source, ...given.change })
    if (given.settings) await owner.call('apps.update', { appId: app.id, ...given.settings })
    return { ...app, repository }
  }

  const get = async (deploymentId: number): Promise<Deployment> => await owner.call('deployments.get', { id: deploymentId })
  const add = async (appId: number): Promise<number> => (await owner.call('deployments.add', { appId })).id

  /** The deployment once it has ended, and once nothing of it is left to do. */
  async function ended(deploymentId: number, limitMs = 90_000): Promise<Deployment> {
    const last = await until(
      async () => await get(deploymentId),
      ({ status }) => !UNFINISHED.includes(status),
      limitMs,
      ENDED_MS,
    )
    await until(
      () => rows('select id from job where payload like ?', `%"deploymentId":${deploymentId},%`),
      (jobs) => jobs.length === 0,
      limitMs,
      ENDED_MS,
    )
    return last
  }

  async function reaches(deploymentId: number, stage: string): Promise<void> {
    await until(
      async () => await get(deploymentId),
      (seen) => seen.stage === stage || seen.status === stage || !UNFINISHED.includes(seen.status),
    )
  }

  const containersOf = async (appId: number): Promise<ContainerSummary[]> =>
    await engine.containers.list({ labels: ownedBy({ instance, appId }) })

  /** What a visitor would get from the live release, at its address in the project's network. */
  async function visit(app: Pick<Application, 'id' | 'project_id'>, request: { port?: number; path?: string } = {}): Promise<string> {
    const [live] = rows<{ id: number }>('select id from deployment where app_id = ? and is_active = 1', app.id)
    if (!live) throw new Error(`app ${app.id} has no live release`)
    const isWeb = ({ owner }: ContainerSummary) => (owner.service ?? 'web') === 'web'
    const container = (await containersOf(app.id)).find((entry) => entry.owner.deploymentId === live.id && isWeb(entry))
    const ip = container?.ips[projectNetworkName(instance, app.project_id)]
    const url = `http://${ip}:${request.port ?? 8080}${request.path ?? '/'}`
    return await (await fetch(url, { signal: AbortSignal.timeout(5000) })).text()
  }

  /** Everything in the engine and on the disk that belongs to this server. */
  async function belongings(): Promise<string[]> {
    const { workDir } = readConfig({ BERTH_DATA_DIR: berth.dataDir })
    const logs = await readdir(path.join(berth.dataDir, 'logs')).catch(() => [])
    const workspaces = await readdir(workDir).catch(() => [])
    return [
      ...(await engine.containers.list({ labels })).map(({ name, state }) => `container ${name} ${state}`),
      ...(await engine.lentContainers.list({ labels })).map(({ name }) => `lent container ${name}`),
      ...(await engine.images.list({ labels })).map(({ tags, id }) => `image ${tags[0] ?? id}`),
      ...(await engine.networks.list({ labels })).map(({ name }) => `network ${name}`),
      ...(await engine.volumes.list({ labels })).map(({ name }) => `volume ${name}`),
      ...logs.map((name) => `log ${name}`),
      ...workspaces.filter((name) => /^d\d+$/.test(name)).map((name) => `workspace ${name}`),
    ]
  }

  return {
    createAppIn,
    add,
    get,
    ended,
    reaches,
    containersOf,
    visit,
    belongings,
    deploy: async (appId: number) => await ended(await add(appId)),
    app: async (appId: number) => await owner.call('apps.get', { appId }),
    log: async (deploymentId: number) => await owner.call('deployments.log', { deploymentId }),
    rows,
    writes: async (write: (file: Database) => void) => await writeToDatabase(berth.dataDir, write),
    status: async (appId: number) => (await owner.call('apps.get', { appId })).status,
  }
}

/** Reads the database file directly, as a restart would find it. */
export function readRows<Row>(dataDir: string, sql: string, ...values: (string | number)[]): Row[] {
  const file = new BetterSqlite(path.join(dataDir, 'berth.sqlite'), { readonly: true, timeout: 5000 })
  try {
    return file.prepare(sql).all(...values) as Row[] // the caller writes the statement and its type side by side
  } finally {
    file.close()
  }
}

type Rows = <Row>(sql: string, ...values: (string | number)[]) => Row[]

function rowsOf({ dataDir, env }: Pick<TestServer, 'dataDir' | 'env'>): Rows {
  const url = env['BERTH_DATABASE_URL']
  return (sql, ...values) => (url ? readPostgresRows(url, sql, ...values) : readRows(dataDir, sql, ...values))
}

/** Images are named by the ids of apps and deployments, so two servers on one engine must not use the same ids. */
async function seedIds({ dataDir, env }: Pick<TestServer, 'dataDir' | 'env'>): Promise<void> {
  const start = randomInt(1, 1_000_000) * 1000
  const url = env['BERTH_DATABASE_URL']
  if (url) {
    for (const table of ['app', 'deployment']) readPostgresRows(url, `select setval(pg_get_serial_sequence('${table}', 'id'), ?)`, start)
    return
  }
  await writeToDatabase(dataDir, (file) => {
    for (const table of ['app', 'deployment'])
      file
        .prepare('insert into sqlite_sequence (name, seq) select ?, ? where not exists (select 1 from sqlite_sequence where name = ?)')
        .run(table, start, table)
  })
}
