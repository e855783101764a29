import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createEngine } from '../../src/engine/engine.ts'
import { startGitServer } from '../harness/git-server.ts'
import { startPostgres } from '../harness/postgres-cluster.ts'
import { OWNER } from '../harness/start-test-server.ts'
import { type BedNode, openSwarmBed } from '../harness/swarm-bed.ts'
import { ensureRedisImage } from '../images/database-images.ts'
import { until } from './deploy-lab.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../../../..')
const PAGE = path.join(ROOT, 'docs/growing.md')
const PORT = '8080'
const IMAGE_PORT = 5443
/** Of the steps that start engines, containers and elections. */
const WITHIN_MS = 120_000

/** The commands of the page, in order, as somebody copies them. */
async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** The first of three machines, with a terminal in the checkout, and everything that the page asks for. */
export async function openGrowingLab({ node, main }: { node: string; main: string }) {
  await using stack = new AsyncDisposableStack()
  const bed = stack.use(await openSwarmBed({ nodes: 3, flags: () => ['--no-new-privileges'] }))
  const [here, ...others] = bed.nodes
  if (!here) throw new Error('there is no machine')
  const engine = createEngine({ address: here.engine, log: { info: () => undefined, warn: () => undefined }, now: () => new Date() })
  await ensureRedisImage(engine)
  const git = stack.use(await startGitServer({ host: bed.gateway }))
  const postgres = stack.use(await startPostgres())
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-growing-'))
  stack.defer(async () => await rm(directory, { recursive: true, force: true }))
  // all machines have the files of this one, also those that the command writes
  stack.defer(async () => await rm(`/etc/docker/certs.d/${here.address}:${IMAGE_PORT}`, { recursive: true, force: true }))
  await writeFile(path.join(directory, 'berth'), `#!/bin/sh\nexec '${node}' '${main}' "$@"\n`)
  await chmod(path.join(directory, 'berth'), 0o755)
  const { searchParams } = new URL(postgres.url('x'))
  const env = {
    PATH: `${directory}:${process.env['PATH'] ?? ''}`,
    HOME: directory,
    HOST: here.address,
    PORT,
    DOCKER_HOST: `unix://${here.engine.socketPath}`,
    BERTH_DATA_DIR: path.join(directory, 'data'),
    BERTH_OWNER_EMAIL: OWNER.email,
    BERTH_OWNER_PASSWORD: OWNER.password,
    BERTH_PRIVATE_SOURCES: bed.gateway,
    PGHOST: searchParams.get('host') ?? '',
    PGUSER: 'berth',
  }
  const inside = [`--net=/run/netns/${here.namespace}`, 'sh', '-e', '-c']
  let [berth, said]: [ChildProcess | undefined, string] = [undefined, '']

  /** Runs commands to their end, and gives what they print. */
  async function type(commands: string): Promise<string> {
    return (await run('nsenter', [...inside, commands], { cwd: ROOT, env })).stdout
  }

  /** Commands of which the last one is `npm start`. */
  async function typeAndLeaveRunning(commands: string): Promise<void> {
    const child = spawn('nsenter', [...inside, commands], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    berth = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const answers = async () => await run('curl', ['-sf', `http://${here?.address}:${PORT}/health`]).then(Boolean, () => false)
    if (!(await until(answers, Boolean, WITHIN_MS))) throw new Error(`Berth did not start: ${said.slice(-3000)}`)
  }

  /** As Ctrl-C does it. */
  async function interrupt(): Promise<void> {
    const child = berth
    berth = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, 'SIGINT')
    await once(child, 'close')
  }
  stack.defer(interrupt)

  async function joinWith(node: BedNode | undefined, printed: string): Promise<void> {
    const command = printed.split('\n').find((line) => line.startsWith('curl ')) ?? ''
    await node?.run('sh', '-c', command)
    await shows(new RegExp(`^\\S+ +${node?.name} .* ready  `, 'm'))
  }

  /** Until `berth servers` does. */
  async function shows(what: RegExp): Promise<void> {
    await until(
      async () => await type('berth servers'),
      (found) => what.test(found),
      WITHIN_MS,
    )
  }

  const held = stack.move()
  return {
    here,
    others,
    git,
    address: `http://${here.address}:${PORT}`,
    type,
    typeAndLeaveRunning,
    interrupt,
    joinWith,
    shows,
    /** Adapted as people adapt them: their own database, and their own address. */
    ownBlocks: async () =>
      (await blocksOf(PAGE)).map((block) =>
        block.replace(/'postgres:[^']*'/, `'${postgres.url('berth')}'`).replace('10.0.0.1', here.address),
      ),
    said: () => said,
    [Symbol.asyncDispose]: async () => await held.disposeAsync(),
  }
}
