import { rm } from 'node:fs/promises'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerStatus, Deployment, Server } from '@berth/contract'
import { createEngine } from '../../src/engine/engine.ts'
import { type FileMap, startGitServer } from '../harness/git-server.ts'
import { startImageRegistry } from '../harness/image-registry.ts'
import { startTestServer } from '../harness/start-test-server.ts'
import { type BedNode, openSwarmBed } from '../harness/swarm-bed.ts'
import { ensureBusybox } from '../images/test-images.ts'
import { until } from './deploy-lab.ts'

/** Short times, as in the lab of deployments. */
const TUNING = {
  stabilityMs: 500,
  healthDeadlineMs: 20_000,
  healthIntervalMs: 100,
  drainMs: 500,
  stopGraceSeconds: 1,
  reconcileMs: 2000,
  waitForServerMs: 5000,
  spreadAfterMs: 2000,
}
/** The machine has two cores, and the servers need them. */
const PAUSE_MS = 5
const IMAGE_PORT = 5443
const HOST = 'app.example.test'
const UNFINISHED = ['pending', 'building', 'deploying']

/**
 * Berth with its edge on the first of several machines, in the network of that machine, and a registry, which it is not told of, and a git
 * server that all of them reach. The others have joined and passed their checks.
 */
export async function openPlacedLab({ nodes }: { nodes: number }) {
  await using stack = new AsyncDisposableStack()
  const bed = stack.use(await openSwarmBed({ nodes, flags: () => ['--no-new-privileges'] }))
  const [here, ...others] = bed.nodes
  if (!here) throw new Error('there is no machine')
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: here.engine, log, now: () => new Date() })
  await ensureBusybox(engine)
  const git = stack.use(await startGitServer({ host: bed.gateway }))
  const registry = stack.use(await startImageRegistry({ at: bed.gateway }))
  const berth = stack.use(
    await startTestServer({
      runs: 'as a process',
      namespace: here.namespace,
      tuning: TUNING,
      env: {
        HOST: here.address,
        PORT: '3000', // the same after a restart: servers that joined have closed it to apps
        DOCKER_HOST: `unix://${here.engine.socketPath}`,
        BERTH_PROVISION: 'auto',
        BERTH_PRIVATE_SOURCES: bed.gateway,
      },
    }),
  )
  // all machines have the files of this one, also those that the command writes
  const trusted = `/etc/docker/certs.d/${here.address}:${IMAGE_PORT}`
  stack.defer(async () => await rm(trusted, { recursive: true, force: true }))
  const owner = await berth.owner()
  const server = async (name: string, fits: (found: Server) => boolean = () => true): Promise<Server> => {
    const read = async () => (await owner.call('servers.list')).servers.find((each) => each.name === name)
    const found = await until(read, (each) => each !== undefined && fits(each))
    if (!found) throw new Error(`there is no server ${name}`)
    return found
  }
  for (const node of others) {
    const { command } = await owner.call('servers.add', { consent: true, address: here.address })
    await node.run('sh', '-c', command)
    await server(node.name)
  }
  for (const { name } of others) await server(name, ({ isChecked }) => isChecked)
  const project = await owner.call('projects.create', { name: 'Lab' })

  async function createApp(name: string, files: FileMap, projectId = project.id) {
    const repository = await git.createRepository({ files })
    const app = await owner.call('apps.create', {
      name,
      projectId,
      port: 8080,
      gitCloneUrl: repository.url,
      gitBranch: 'main',
    })
    return { ...app, repository }
  }

  async function deploy(appId: number): Promise<Deployment> {
    const { id } = await owner.call('deployments.add', { appId })
    return await until(
      async () => await owner.call('deployments.get', { id }),
      ({ status }) => !UNFINISHED.includes(status),
    )
  }

  const visit = async (path = '/', at: BedNode = here, timeoutMs = 10_000): Promise<string> =>
    await visited({ address: at.address, host: HOST, path, timeoutMs })
  const held = stack.move()
  return {
    server,
    berth,
    owner,
    engine,
    registry,
    trusted,
    here,
    others,
    project,
    host: HOST,
    createApp,
    deploy,
    running: async (appId: number) => await runningOn(bed.nodes, appId),
    serversOf: async (appId: number) => serversIn(await owner.call('containers.status', { appId })),
    visit,
    [Symbol.asyncDispose]: async () => await held.disposeAsync(),
  }
}

/** The names of the servers that run a replica, with commas between them, as Berth shows them. */
function serversIn({ replicas = [] }: Pick<ContainerStatus, 'replicas'>): string {
  return replicas
    .flatMap(({ state, server }) => (state === 'running' ? (server ?? 'n1') : []))
    .toSorted()
    .join()
}

/** The machines on which a container of an app runs, whoever says what. */
async function runningOn(nodes: readonly BedNode[], appId: number): Promise<BedNode[]> {
  const found = nodes.map(async (node) => ({
    node,
    names: await node.run('docker', 'ps', '--filter', `name=-app-${appId}-`, '--format', '{{.Names}}').catch(() => ''),
  }))
  return (await Promise.all(found)).flatMap(({ node, names }) => (names.trim() === '' ? [] : [node]))
}

/** Visits until it is told to stop. Gives the answers that were not 200, how many there were, and the longest one. */
export function keepVisiting(visit: () => Promise<string>) {
  const bad: string[] = []
  let [visits, longestMs, isOver] = [0, 0, false]
  const one = async () => {
    while (!isOver) {
      const begun = performance.now()
      const answer = await visit()
      visits += 1
      longestMs = Math.max(longestMs, performance.now() - begun)
      if (!answer.startsWith('200')) bad.push(answer)
      await sleep(PAUSE_MS)
    }
  }
  const visitors = [one(), one()]
  return async () => {
    isOver = true
    await Promise.all(visitors)
    return { bad, visits, longestMs: Math.round(longestMs) }
  }
}

/** What a visitor gets: the status and the body, or the error. */
async function visited(wanted: { address: string; host: string; path: string; timeoutMs: number }): Promise<string> {
  const { address, host, path, timeoutMs } = wanted
  return await new Promise((resolve) => {
    const request = http.get({ host: address, port: 80, path, headers: { host }, agent: false, timeout: timeoutMs }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve(`${response.statusCode} ${body.trim().slice(0, 200)}`))
      response.on('error', (error) => resolve(String(error)))
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', (error) => resolve(String(error)))
  })
}
