import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createCertificateFiles } from '../../src/edge/certificates/certificate-files.ts'
import { createEdgeController } from '../../src/edge/controller.ts'
import type { Edge, EdgeRoutes } from '../../src/edge/edge.ts'
import type { EdgeTimeouts } from '../../src/edge/haproxy/terms.ts'
import type { EdgeHost } from '../../src/edge/host/container.ts'
import { type EdgePaths, edgePaths } from '../../src/edge/paths.ts'
import { freePort } from './listening.ts'

/** The whole group, as when a container ends. */
function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) process.kill(-child.pid, signal)
}

/** Runs HAProxy as a plain process where the product runs a container. */
function createProcessHost() {
  let child: ChildProcess | undefined
  let output = ''
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || !isRunning()) return
    const ended = once(child, 'exit')
    signalAll(child, signal)
    await ended
  }

  const host: EdgeHost = {
    inspectEdge: async () => (isRunning() ? 'running' : child === undefined ? 'absent' : 'stopped'),
    ensureImage: async () => 'none',
    async runEdge(spec) {
      const [command = 'haproxy', ...args] = spec.command
      const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }
      child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true })
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
      await once(child, 'spawn')
    },
    reloadEdge: async () => void child?.kill('SIGUSR2'),
    removeEdge: () => stop('SIGKILL'),
    hasSiblings: async () => false,
    edgeOutput: async () => output,
  }
  return { host, stop, pid: () => child?.pid, output: () => output }
}

/** With routes that a test sets by hand, where the product works them out. */
export type RoutedEdge = Edge & { setRoutes(routes: EdgeRoutes): Promise<void> }

export type TestEdge = {
  edge: RoutedEdge
  paths: EdgePaths
  httpPort: number
  httpsPort: number
  process: ReturnType<typeof createProcessHost>
  /** The log, including the causes of errors. */
  warnings: () => string
  /** A second controller on the same files, as after a restart of the control plane. */
  reopen(changed?: { timeouts?: Partial<EdgeTimeouts>; onReload?: () => void; startWithinMs?: number }): RoutedEdge
  [Symbol.asyncDispose](): Promise<void>
}

/** A real HAProxy on free ports, in a directory of its own. */
export async function startTestEdge(
  options: {
    timeouts?: Partial<EdgeTimeouts>
    repairEveryMs?: number
    httpPort?: number
    dir?: string
    ipv6?: boolean
    mayStart?: () => boolean
  } = {},
): Promise<TestEdge> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'berth-edge-')))
  const httpPort = options.httpPort ?? (await freePort())
  const httpsPort = await freePort()
  const haproxy = createProcessHost()
  const paths = edgePaths(dir)
  const opened: Edge[] = []
  const warnings: object[] = []
  const reopen: TestEdge['reopen'] = (changed = {}) => {
    const controller = createEdgeController({
      settings: {
        dir,
        httpPort,
        httpsPort,
        ipv6: options.ipv6 ?? false,
        containerNetworks: ['10.224.0.0/12', '172.17.0.1/16'],
        cores: availableParallelism(),
        maxConnections: 2000,
        timeouts: changed.timeouts ?? options.timeouts ?? {},
      },
      onReload: changed.onReload ?? (() => undefined),
      host: haproxy.host,
      image: { pull: 'none', build: 'none', context: () => Promise.resolve(Buffer.alloc(0)) },
      certificates: createCertificateFiles({ dir: paths.certificatesDir }).list,
      mayStart: options.mayStart,
      log: { info: () => undefined, warn: (fields) => void warnings.push(fields) },
      now: () => new Date(),
      newId: randomUUID,
      ...(changed.startWithinMs === undefined ? {} : { startWithinMs: changed.startWithinMs }),
      ...(options.repairEveryMs === undefined ? {} : { repairEveryMs: options.repairEveryMs }),
    })
    opened.push(controller)
    const setRoutes = async (routes: EdgeRoutes) => await controller.update(async () => routes)
    return { ...controller, setRoutes }
  }
  const edge = reopen()
  return {
    edge,
    paths,
    httpPort,
    httpsPort,
    process: haproxy,
    warnings: () => inspect(warnings, { depth: 6 }),
    reopen,
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close()
      await haproxy.stop('SIGKILL')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
