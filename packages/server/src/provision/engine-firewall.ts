import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { EngineAddress } from '../engine/api/address.ts'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import { SWARM_PORTS } from '../engine/swarm/ports.ts'
import { isInSwarm } from './engine-ping.ts'
import { engineGroup } from './engine-process-cgroup.ts'
import { type ProxyTarget, proxyTargets } from './engine-proxies.ts'
import { ensureRule, type FirewallResult, iptables, METADATA, removeJumps, replaceChain } from './iptables.ts'

type Rules = readonly (readonly string[])[]
type Target = { readonly address: string; readonly port: number }
type Wanted = {
  controlPort: number
  edgePorts: readonly number[]
  /** Name servers, and hosts that the admin allows. */
  resolvers: readonly string[]
  allowed: readonly string[]
  /** The registry of the servers, on its port alone: it may be on this machine. */
  registry: readonly Target[]
  /** The targets of the engine's proxies for published ports. */
  proxied: readonly ProxyTarget[]
  isInSwarm: boolean
}

const PRIVATE = {
  ipv4: ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
  ipv6: ['::1/128', 'fc00::/7', 'fe80::/10', 'fec0::/10'],
} as const
/** Networks of containers: those of others, and of build steps on the first. */
const BRIDGES = ['docker0', 'docker_gwbridge', 'br-+']
const LOCAL = ['-m', 'addrtype', '--dst-type', 'LOCAL']
const REFUSE = ['-j', 'REJECT', '--reject-with', 'tcp-reset']
const ALLOW = ['-j', 'RETURN']

export function engineFirewallChain(port: number): string {
  return `BERTH-E-${port}`
}

/**
 * Where the engine itself may connect to. It downloads what a Dockerfile's `ADD`, a registry's redirect or a base image's ONBUILD names,
 * and anybody who can build chooses those: so never this machine, its apps or a private network. The first matching rule applies.
 */
export function engineFirewallRules(wanted: Wanted, family: 'ipv4' | 'ipv6'): Rules {
  const ofFamily = (addresses: readonly string[]) => addresses.filter((address) => (isIP(address) === 6) === (family === 'ipv6'))
  const tcp = ['-p', 'tcp']
  const targets = (some: readonly Target[]) =>
    some
      .filter(({ address }) => ofFamily([address]).length > 0)
      .map(({ address, port }) => ['-d', address, ...tcp, '--dport', String(port), ...ALLOW])
  return [
    [...tcp, '--dport', String(wanted.controlPort), ...LOCAL, ...REFUSE],
    ...METADATA[family].map((range) => ['-d', range, ...tcp, ...REFUSE]),
    ['-m', 'conntrack', '--ctstate', 'ESTABLISHED,RELATED', ...ALLOW], // replies on incoming connections
    ...ofFamily(wanted.resolvers).map((address) => ['-d', address, ...tcp, '--dport', '53', ...ALLOW]),
    ...ofFamily(wanted.allowed).map((address) => ['-d', address, ...ALLOW]),
    ...targets(wanted.registry),
    ...(family === 'ipv4' ? [['-d', APP_ADDRESSES, ...tcp, ...REFUSE]] : []),
    ...targets(wanted.proxied),
    ...BRIDGES.map((name) => ['-o', name, ...tcp, ...REFUSE]),
    ...wanted.edgePorts.map((port) => [
      '!',
      '-d',
      family === 'ipv4' ? '127.0.0.0/8' : '::1/128',
      ...tcp,
      '--dport',
      String(port),
      ...LOCAL,
      ...ALLOW,
    ]),
    [...tcp, ...LOCAL, ...REFUSE],
    // Other machines of the swarm may have private addresses.
    ...(wanted.isInSwarm ? [[...tcp, '-m', 'multiport', '--dports', SWARM_PORTS.tcp.join(), ...ALLOW]] : []),
    ...PRIVATE[family].map((range) => ['-d', range, ...tcp, ...REFUSE]),
  ]
}

export type EngineFirewallDeps = {
  log: Pick<Logger, 'info' | 'warn'>
  mode: 'auto' | 'off'
  engine: EngineAddress
  edgePorts: readonly number[]
  privateSources: readonly string[]
  registry: { readonly host: string; readonly port: number } | undefined
}

/** Keeps the engine's own downloads away from this machine and private networks. Called repeatedly, it repairs rules that changed. */
export function createEngineFirewall(deps: EngineFirewallDeps) {
  const { log } = deps
  let message = ''
  let isInPlace = false

  async function ensure(controlPort: number, signal?: AbortSignal): Promise<void> {
    if (deps.mode === 'off') return
    const result = await apply(controlPort, signal)
    if (signal?.aborted) return
    const problem = result.ok
      ? ''
      : `The engine can download from any address, including private ones: ${result.reason}. Dockerfiles cannot ADD from the network, and members only use public registries and those that an admin allowed.`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'firewall rules for the engine not added')
    if (problem === '' && !isInPlace) log.info({ chain: engineFirewallChain(controlPort) }, 'firewall rules for the engine added')
    isInPlace = problem === ''
    message = problem
  }

  async function apply(controlPort: number, signal: AbortSignal | undefined): Promise<FirewallResult> {
    if (process.getuid?.() !== 0) return { ok: false, reason: 'this process is not root' }
    if (!('socketPath' in deps.engine)) return { ok: false, reason: 'the engine is not on this machine' }
    const group = await engineGroup(deps.engine.socketPath)
    if (group === undefined) return { ok: false, reason: 'the engine has no control group of its own' }
    const wanted = {
      controlPort,
      edgePorts: deps.edgePorts,
      resolvers: await resolvers(),
      allowed: await addressesOf(deps.privateSources),
      registry: await targetsOf(deps.registry),
      proxied: await proxyTargets(group),
      isInSwarm: await isInSwarm(deps.engine, signal),
    }
    for (const family of ['ipv4', 'ipv6'] as const) {
      const chain = engineFirewallChain(controlPort)
      const replaced = await replaceChain(chain, engineFirewallRules(wanted, family), { family, signal })
      if (!replaced.ok) return replaced
      const entered = await ensureRule('-I', ['OUTPUT', '-m', 'cgroup', '--path', group, '-j', chain], { family, signal })
      if (!entered.ok) return entered
    }
    return { ok: true }
  }

  return { ensure, message: () => message, isInPlace: () => isInPlace }
}

/** Removes the rules of an instance. The engine may be stopped, or have another cgroup than when they were added. */
export async function removeEngineFirewall(controlPort: number): Promise<void> {
  const chain = engineFirewallChain(controlPort)
  for (const family of ['ipv4', 'ipv6'] as const) {
    await removeJumps('OUTPUT', chain, family)
    for (const end of ['-F', '-X']) await iptables([end, chain], undefined, family)
  }
}

async function resolvers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  return [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address).filter((address) => isIP(address) !== 0)
}

async function targetsOf(registry: EngineFirewallDeps['registry']): Promise<Target[]> {
  return registry === undefined ? [] : (await addressesOf([registry.host])).map((address) => ({ address, port: registry.port }))
}

async function addressesOf(hosts: readonly string[]): Promise<string[]> {
  const found = await Promise.all(hosts.map(async (host) => await lookup(host, { all: true }).catch(() => [])))
  return [...new Set(found.flat().map(({ address }) => address))].toSorted()
}
