import { execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { EngineAddress } from '../../src/engine/api/address.ts'
import { poll } from '../../src/lib/retry.ts'
import { engineAnswers } from '../../src/provision/engine-ping.ts'
import { endProcess } from './end-process.ts'

const run = promisify(execFile)
const UP_WITHIN_MS = 60_000
const CGROUPS = '/sys/fs/cgroup'

export type BedNode = {
  readonly name: string
  readonly address: string
  /** The name of its network namespace. */
  readonly namespace: string
  readonly engine: Extract<EngineAddress, { socketPath: string }>
  /** Runs a program in its network, with its engine. */
  run: (program: string, ...args: string[]) => Promise<string>
  /** As if its power was cut: the engine and everything in it. */
  kill: () => Promise<void>
  /** As if its power came back. */
  start: () => Promise<void>
  /** As if its cable was pulled: it runs on, and nobody reaches it until it is mended. */
  cut: () => Promise<void>
  mend: () => Promise<void>
  log: () => Promise<string>
}

/**
 * Machines with an engine of their own, on a network of their own: each is a dockerd in its network namespace, connected by a bridge in
 * another one, so that the firewall of this machine is not in between. They have one kernel and no wire: nothing here says how fast it is.
 */
export async function openSwarmBed(options: { nodes: number; flags?: (node: string) => readonly string[] }) {
  const bed = `b${randomBytes(3).toString('hex')}`
  const network = `198.18.${randomInt(256)}` // for measurements between networks (RFC 2544): nothing else on the machine has it
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-bed-')) // short, because of the sockets in it
  const undo: (() => Promise<unknown>)[] = [async () => await rm(directory, { recursive: true, force: true })]
  const close = async () => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    const wire = await layWire({ bed, network }, undo)
    const names = Array.from({ length: options.nodes }, (_, index) => `n${index + 1}`)
    const nodes: BedNode[] = []
    for (const [index, name] of names.entries())
      nodes.push(await beginNode({ bed, network, directory, name, number: index + 1, wire, flags: options.flags?.(name) ?? [] }, undo))
    await Promise.all(nodes.map(async (node) => await answers(node)))
    return {
      nodes,
      gateway: `${network}.254`,
      [Symbol.asyncDispose]: close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** A bridge in a namespace of its own, and an end of it here, so that the tests reach the machines and they reach the tests. */
async function layWire({ bed, network }: { bed: string; network: string }, undo: (() => Promise<unknown>)[]): Promise<string> {
  const wire = `${bed}w`
  await addNamespace(wire, undo)
  await run('ip', ['-n', wire, 'link', 'add', 'wire0', 'type', 'bridge'])
  await run('ip', ['-n', wire, 'link', 'set', 'wire0', 'up'])
  await run('ip', ['link', 'add', `${bed}h`, 'type', 'veth', 'peer', 'name', 'here0', 'netns', wire])
  await run('ip', ['-n', wire, 'link', 'set', 'here0', 'master', 'wire0', 'up'])
  await run('ip', ['addr', 'add', `${network}.254/24`, 'dev', `${bed}h`])
  await run('ip', ['link', 'set', `${bed}h`, 'up'])
  return wire
}

/** It goes with everything in it, also its end of each cable. */
async function addNamespace(name: string, undo: (() => Promise<unknown>)[]): Promise<void> {
  await run('ip', ['netns', 'add', name])
  undo.push(async () => await run('ip', ['netns', 'del', name]))
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
}

type Wanted = { bed: string; network: string; directory: string; name: string; number: number; wire: string; flags: readonly string[] }

async function beginNode(
  { bed, network, directory, name, number, wire, flags }: Wanted,
  undo: (() => Promise<unknown>)[],
): Promise<BedNode> {
  const [namespace, address] = [`${bed}${name}`, `${network}.${number}`]
  await addNamespace(namespace, undo)
  await run('ip', ['-n', wire, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace])
  await run('ip', ['-n', wire, 'link', 'set', name, 'master', 'wire0', 'up'])
  await run('ip', ['-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0'])
  await run('ip', ['-n', namespace, 'link', 'set', 'eth0', 'up'])
  const home = path.join(directory, name)
  await mkdir(path.join(home, 'run'), { recursive: true })
  const socketPath = path.join(home, 'd.sock')
  const begin = () => startEngine({ namespace, name, home, socketPath, flags })
  begin()
  undo.push(async () => await endEngine({ home, namespace }))
  const inside = async (program: string, ...args: string[]) =>
    (
      await run('nsenter', [`--net=/run/netns/${namespace}`, program, ...args], {
        env: { ...process.env, DOCKER_HOST: `unix://${socketPath}` },
      })
    ).stdout
  const node = {
    name,
    address,
    namespace,
    engine: { socketPath },
    run: inside,
    kill: async () => await killAll({ home, namespace }),
    start: async () => {
      begin()
      await answers(node)
    },
    cut: async () => void (await run('ip', ['-n', wire, 'link', 'set', name, 'down'])),
    mend: async () => void (await run('ip', ['-n', wire, 'link', 'set', name, 'up'])),
    log: async () => await readFile(path.join(home, 'log'), 'utf8'),
  }
  return node
}

/** With mounts, a host name and the usual socket of its own. `ip netns exec` would hide the cgroups. */
function startEngine(of: { namespace: string; name: string; home: string; socketPath: string; flags: readonly string[] }): void {
  const { namespace, name, home, socketPath, flags } = of
  const log = openSync(path.join(home, 'log'), 'a')
  const own = [
    '--data-root',
    `${home}/data`,
    '--exec-root',
    `${home}/exec`,
    '--pidfile',
    `${home}/pid`,
    '--cgroup-parent',
    `/${namespace}`,
    '--shutdown-timeout',
    '1',
  ]
  const enter = [`--net=/run/netns/${namespace}`, 'unshare', '--mount', '--uts', '--propagation', 'slave']
  const hosts = ['--host', `unix://${socketPath}`, '--host', 'unix:///var/run/docker.sock']
  const begin = 'hostname "$0"; mount --bind "$1" /run; shift; exec dockerd "$@"'
  const program = ['sh', '-c', begin, name, `${home}/run`, ...hosts, ...own, ...flags]
  spawn('nsenter', [...enter, ...program], { stdio: ['ignore', log, log] })
}

async function answers({ name, engine, log }: Pick<BedNode, 'name' | 'engine' | 'log'>): Promise<void> {
  if (await poll(async () => await engineAnswers(engine), { until: (isUp) => isUp, everyMs: 100, limitMs: UP_WITHIN_MS })) return
  throw new Error(`the engine of ${name} did not start: ${(await log()).slice(-2000)}`)
}

type Place = { home: string; namespace: string }

/** Nothing of it is kept, so it is not asked to end, which takes long in a Swarm. */
async function endEngine(place: Place): Promise<void> {
  await killAll(place)
  const controllers = await readdir(CGROUPS) // one tree, or one for each controller
  for (const folder of ['', ...controllers]) await removeGroup(path.join(CGROUPS, folder, place.namespace))
}

/** Its containers, which its cgroup tells, and everything that was started below its directory: the engine, containerd and the shims. */
async function killAll({ home, namespace }: Place): Promise<void> {
  const isOwn = async (pid: string) => {
    const read = async (file: string) => await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
    return (await read('cmdline')).includes(`${home}/`) || (await read('cgroup')).includes(`/${namespace}`)
  }
  for (;;) {
    const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    const own = (await Promise.all(all.map(async (pid) => ((await isOwn(pid)) ? [Number(pid)] : [])))).flat()
    if (own.length === 0) return
    await Promise.all(own.map(async (pid) => await endProcess(pid, 0))) // what one of them has just started is found next
  }
}

async function removeGroup(group: string): Promise<void> {
  const inside = await readdir(group, { withFileTypes: true }).catch(() => [])
  for (const each of inside) if (each.isDirectory()) await removeGroup(path.join(group, each.name))
  await rmdir(group).catch(() => undefined) // it is not there, or its last process is just ending
}
