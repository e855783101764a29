import { randomInt } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Application, Call, Deployment } from '@berth/contract'
import Database from 'better-sqlite3'
import { createHaproxyRuntime } from '../../src/edge/haproxy/runtime.ts'
import { type EdgePaths, edgePaths } from '../../src/edge/paths.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { LABEL } from '../../src/engine/labels.ts'
import { removeFirewalls } from '../../src/provision/firewalls.ts'
import { engineSocketPath } from '../harness/engine-proxy.ts'
import { type GitServer, startGitServer } from '../harness/git-server.ts'
import { freePort } from '../harness/listening.ts'
import { newDataDir, startTestServer, type TestServer } from '../harness/start-test-server.ts'
import { ensureNodeImage, NODE_IMAGE } from '../images/node-image.ts'
import { ENDED_MS } from './deploy-lab.ts'

const APP_PORT = 3000
const FIXTURES = path.resolve(import.meta.dirname, '../fixtures')

/** A release of the test app, and how it can misbehave. */
export type LabRelease = {
  version: string
  mode?: 'dies of visitors' | 'never listens'
  /** After its first connection. */
  diesAfterMs?: number
  health?: number
  /** After its start: until then it answers everything with 503. */
  readyAfterMs?: number
  /** What its build runs. */
  buildStep?: readonly string[]
  /** A volume that its image declares. */
  volume?: string
}
export type LabApp = Application & {
  /** Commits this release; the next deployment builds it. */
  commit: (release: LabRelease) => Promise<void>
  repository: Pick<Awaited<ReturnType<GitServer['createRepository']>>, 'commit'>
}

async function releaseFiles(name: string, { buildStep, volume, ...release }: LabRelease): Promise<Record<string, string>> {
  const run = buildStep === undefined ? '' : `RUN ${JSON.stringify(buildStep)}\n`
  const declared = volume === undefined ? '' : `VOLUME ${volume}\n`
  return {
    Dockerfile: `FROM ${NODE_IMAGE}\nCOPY app.mjs reach.mjs release.json /app/\n${run}${declared}CMD ["node", "/app/app.mjs"]\n`,
    'app.mjs': await readFile(path.join(FIXTURES, 'edge-app.mjs'), 'utf8'),
    'reach.mjs': await readFile(path.join(FIXTURES, 'edge-reach.mjs'), 'utf8'),
    'release.json': JSON.stringify({ app: name, ...release }),
  }
}

export async function until<Value>(
  look: () => Promise<Value | undefined | false>,
  what: string,
  limitMs = 45_000,
  everyMs = 50,
): Promise<Value> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await sleep(everyMs)
  }
}

/** Images are named by ids: ids of its own keep one lab's images apart from those of every other server on the engine. */
function beginIdsAt(dataDir: string, first: number): string {
  const database = new Database(path.join(dataDir, 'berth.sqlite'))
  try {
    for (const table of ['app', 'deployment', 'project']) {
      database.prepare('delete from sqlite_sequence where name = ?').run(table)
      database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, first)
    }
    const row = database.prepare("select value from fact where name = 'instance_id'").get() as { value: string } // the table's own column
    return row.value
  } finally {
    database.close()
  }
}

type LabOptions = {
  env?: Record<string, string>
  tuning?: Record<string, number>
  ports?: { http?: number; https?: number }
  waitForEdge?: boolean
}

/** The whole product: a server as a process, the real engine, the edge in its container, and a git server to deploy from. */
export async function startEdgeLab(options: LabOptions = {}) {
  const engine = createEngine({
    address: { socketPath: engineSocketPath() },
    log: { info: () => undefined, warn: () => undefined },
    now: () => new Date(),
  })
  await ensureNodeImage(engine)
  // In reverse order, each whatever became of the others: a rule of the firewall that stays would break the suites after this one.
  await using cleanUp = new AsyncDisposableStack()
  const git = cleanUp.use(await startGitServer())
  const dataDir = await newDataDir()
  cleanUp.defer(async () => await rm(dataDir, { recursive: true, force: true }))
  const controlPort = await freePort()
  cleanUp.defer(async () => await removeFirewalls(controlPort))
  const httpPort = options.ports?.http ?? (await freePort())
  const httpsPort = options.ports?.https ?? (await freePort())
  const berth = await startTestServer({
    runs: 'as a process',
    dataDir,
    tuning: {
      stabilityMs: 1000,
      drainMs: 8000,
      stopGraceSeconds: 2,
      healthDeadlineMs: 20_000,
      reconcileMs: 5000,
      engineWaitMs: 20_000,
      ...options.tuning,
    },
    env: {
      HOST: '0.0.0.0',
      PORT: String(controlPort),
      BERTH_PROVISION: 'auto',
      DOCKER_HOST: `unix://${engineSocketPath()}`,
      BERTH_EDGE_HTTP_PORT: String(httpPort),
      BERTH_EDGE_HTTPS_PORT: String(httpsPort),
      ...options.env,
    },
  })
  const instance = beginIdsAt(dataDir, randomInt(1000, 1_000_000_000))
  cleanUp.defer(async () => await removeFromEngine(engine, instance))
  cleanUp.use(berth)
  const owner = await berth.owner()
  const { call } = owner
  if (options.waitForEdge !== false) await edgeReady(berth)
  const project = await call('projects.create', { name: 'Lab' })

  const paths = edgePaths(path.join(dataDir, 'edge'))
  const edgeContainer = `berth-${instance}-edge`
  const owned = cleanUp.move()
  return {
    ...createDeployer({ berth, git, call, project }),
    ...createEdgeWords({ engine, paths, edgeContainer }),
    berth,
    call,
    owner,
    engine,
    git,
    instance,
    project,
    controlPort,
    httpPort,
    httpsPort,
    paths,
    edgeContainer,
    edgeReady: async () => await edgeReady(berth),
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  }
}

/** What the HAProxy of another version of Berth calls its configuration. */
export const OTHER_CONFIGURATION = 'berth-earlier'

/** The running HAProxy, and another version's in its place. */
function createEdgeWords({ engine, paths, edgeContainer }: { engine: Engine; paths: EdgePaths; edgeContainer: string }) {
  const edgePid = async () => (await engine.containers.inspect(edgeContainer))?.pid ?? 0
  const edgeConfiguration = async () => (await createHaproxyRuntime({ socketPath: paths.socket }).info()).get('description')

  /** While the control plane is down. */
  async function configureEdgeOtherwise(): Promise<void> {
    const config = await readFile(paths.config, 'utf8')
    await writeFile(paths.config, config.replace(/description .*/, `description ${OTHER_CONFIGURATION}`))
    const pid = await edgePid()
    if (pid === 0) throw new Error('the edge does not run')
    process.kill(pid, 'SIGUSR2')
    await until(async () => (await edgeConfiguration()) === OTHER_CONFIGURATION, 'the configuration of another version')
  }

  return { edgePid, edgeConfiguration, configureEdgeOtherwise }
}

type DeployerDeps = { berth: TestServer; git: GitServer; call: Call; project: { id: number } }

/** Apps of the lab, and their way into the engine. */
function createDeployer({ berth, git, call, project }: DeployerDeps) {
  /** An app with a repository of its own, not deployed yet. */
  async function addApp(
    name: string,
    settings: { projectId?: number; release?: LabRelease; domain?: string; healthcheckPath?: string; compose?: object } = {},
  ): Promise<LabApp> {
    const { projectId = project.id, release = { version: '1' }, compose } = settings
    const composeFile = compose === undefined ? {} : { 'compose.yaml': JSON.stringify(compose) }
    const repository = await git.createRepository({ files: { ...(await releaseFiles(name, release)), ...composeFile } })
    const app = await call('apps.create', {
      name,
      projectId,
      appType: compose === undefined ? 'web' : 'compose',
      port: APP_PORT,
      gitCloneUrl: repository.url,
      gitBranch: 'main',
    })
    if (settings.healthcheckPath !== undefined) await call('apps.update', { appId: app.id, healthcheckPath: settings.healthcheckPath })
    if (settings.domain !== undefined) await call('domains.create', { appId: app.id, domain: settings.domain })
    return { ...app, repository, commit: async (release) => void (await repository.commit({ files: await releaseFiles(name, release) })) }
  }

  async function finished(id: number): Promise<Deployment> {
    return await until(
      async () => {
        const deployment = await call('deployments.get', { id })
        return ['success', 'failed', 'stopped'].includes(deployment.status) && deployment
      },
      `deployment ${id} ends`,
      90_000,
      ENDED_MS,
    )
  }

  async function deploy(app: LabApp, release?: LabRelease): Promise<Deployment> {
    if (release !== undefined) await app.commit(release)
    const { id } = await call('deployments.add', { appId: app.id })
    return await finished(id)
  }

  async function deployWell(app: LabApp, release?: LabRelease): Promise<Deployment> {
    const deployment = await deploy(app, release)
    if (deployment.status !== 'success')
      throw new Error(`${app.name} was not deployed: ${deployment.error_message}\n${berth.log().slice(-4000)}`)
    return deployment
  }

  return { addApp, finished, deploy, deployWell }
}

export type EdgeLab = Awaited<ReturnType<typeof startEdgeLab>>

async function edgeReady(berth: TestServer): Promise<void> {
  const ready = async () => (await berth.anonymous('health')).checks.edge === 'ok'
  await until(ready, 'the edge is ready', 100_000).catch(async (cause: unknown) => {
    throw new Error(`the edge is not ready: ${JSON.stringify(await berth.anonymous('health'))}\n${berth.log().slice(-4000)}`, { cause })
  })
}

/** An engine that is busy may still be ending a container when the next call needs it gone. */
export async function untilItWorks(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt < 5; attempt += 1) {
    try {
      return await work()
    } catch {
      await sleep(1000)
    }
  }
  await work()
}

async function removeFromEngine(engine: Engine, instance: string): Promise<void> {
  const labels = { [LABEL.instance]: instance }
  await untilItWorks(async () => {
    await Promise.all((await engine.containers.list({ labels })).map(async ({ id }) => await engine.containers.remove(id)))
    for (const { name } of await engine.networks.list({ labels })) await engine.networks.remove(name)
    for (const image of await engine.images.list({ labels })) for (const tag of image.tags) await engine.images.remove(tag)
  })
}
