import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { APP_ADDRESSES } from '../engine/subnets.ts'
import { SWARM_PORTS } from '../engine/swarm/ports.ts'
import { ensureRule, type Family, type FirewallResult, iptables, METADATA, replaceChain, type Table } from './iptables.ts'

/** One chain per instance, named after the control plane's port, which no two instances share. */
export function appFirewallChain(port: number): string {
  return `BERTH-${port}`
}

/** The bridge of build steps, and the one over which containers on overlay networks reach their own server. */
const SHARED_BRIDGES = [
  ['-i', 'docker0'],
  ['-i', 'docker_gwbridge'],
]
/**
 * Apps on our own networks, and the shared bridges. For apps the interface counts too: a visitor from a private network with the same
 * addresses does not arrive over a bridge of the engine. Apps have no IPv6 and no raw sockets, but build steps may write raw packets with
 * any sender they like, so for IPv6 only the shared bridges count. The engine has its own chain for IPv6 only if it uses that.
 */
export const FROM_CONTAINERS = { ipv4: [['-i', 'br-+', '-s', APP_ADDRESSES], ...SHARED_BRIDGES], ipv6: SHARED_BRIDGES } as const
/** The kernel's chains from which our own is entered. */
export const ENTRY_CHAINS = { ipv4: ['INPUT', 'DOCKER-USER'], ipv6: ['INPUT', 'FORWARD'] } as const
const LOCAL = ['-m', 'addrtype', '--dst-type', 'LOCAL']
const IPV6_ADDRESSES = '/proc/net/if_inet6'

export const hasIpv6 = (): boolean => existsSync(IPV6_ADDRESSES)

/**
 * What no app and no build may reach: the control plane on any address of this machine, the metadata services of clouds, and what the engines
 * of a Swarm say to each other, on any server. The edge's ports stay open, so that an app can call its own public address. Rules are
 * `[chain, ...match]`.
 */
export function appFirewallRules(port: number, family: Family = 'ipv4'): { refuse: string[][]; enter: string[][] } {
  const chain = appFirewallChain(port)
  return {
    refuse: [
      refusedPort(chain, port),
      ...METADATA[family].map((range) => [chain, '-d', range, '-j', 'REJECT']),
      ...refusedSwarm(family).map((rule) => [chain, ...rule]),
    ],
    enter: FROM_CONTAINERS[family].flatMap((match) => ENTRY_CHAINS[family].map((from) => [from, ...match, '-j', chain])),
  }
}

/**
 * To any server, whether Swarm is on or not. Between apps these are ports like any other, and apps may listen on them; but nothing may be sent
 * first from such a port, or what the engines send would be taken for an answer.
 */
function refusedSwarm(family: Family): string[][] {
  const toServers = [LOCAL, ...(family === 'ipv4' ? [['!', '-d', APP_ADDRESSES]] : [])]
  return (['tcp', 'udp'] as const).flatMap((protocol) => {
    const ports = SWARM_PORTS[protocol].join()
    const packets = [
      ['-m', 'multiport', '--dports', ports],
      ['-m', 'multiport', '--sports', ports, '-m', 'conntrack', '--ctdir', 'ORIGINAL'],
    ]
    const refuse = ['-j', 'REJECT', ...(protocol === 'tcp' ? ['--reject-with', 'tcp-reset'] : [])]
    return packets.flatMap((match) => toServers.map((to) => ['-p', protocol, ...to, ...match, ...refuse]))
  })
}

function refusedPort(chain: string, port: number): string[] {
  return [chain, '-p', 'tcp', '--dport', String(port), ...LOCAL, '-j', 'REJECT', '--reject-with', 'tcp-reset']
}

/**
 * Forged packets to drop. An engine without a userland proxy makes the kernel accept loopback addresses from its bridges
 * (route_localnet), and build steps may write raw packets: without these rules, services that listen on 127.0.0.1 alone would be open to
 * them. These go before address translation, where answers to a port published on 127.0.0.1 still have the bridge's address.
 */
export const FORGERIES = {
  loopback: [
    ['-d', '127.0.0.0/8', '-j', 'DROP'],
    ['-s', '127.0.0.0/8', '-j', 'DROP'],
  ],
  // not on networks of apps: without raw sockets they cannot do that
  otherSources: [['-i', 'docker0', '-m', 'rpfilter', '--invert', '-j', 'DROP']],
}
const ARRIVING = ['PREROUTING', '!', '-i', 'lo', '-j']
/** The first table that the kernel has is used. */
const FORGERY_RULES: readonly { table: Table; rules: readonly (readonly string[])[] }[] = [
  { table: 'raw', rules: [...FORGERIES.loopback, ...FORGERIES.otherSources] },
  { table: 'mangle', rules: [...FORGERIES.loopback, ...FORGERIES.otherSources] },
  { table: 'raw', rules: FORGERIES.loopback },
  { table: 'mangle', rules: FORGERIES.loopback },
]

export type AppFirewallDeps = {
  log: Pick<Logger, 'info' | 'warn'>
  mode: 'auto' | 'off'
  /** Where other servers get images, while there are any. Somebody else may use that port otherwise. */
  imagePort?: { number: number; isUsed: () => Promise<boolean> }
}

/** Keeps apps and builds away from the control plane. Called repeatedly, it only adds rules that are missing, and removes none but that for the port of images. */
export function createAppFirewall(deps: AppFirewallDeps) {
  const { log, mode } = deps
  let message = ''
  let isInPlace = false
  const closeImages = createClosedImages(deps.imagePort)

  async function ensure(port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off') return
    const applied = await apply(port, signal)
    const result = applied.ok ? await closeImages(port, signal) : applied
    if (signal?.aborted) return
    const problem = result.ok
      ? ''
      : `Apps and builds can reach the control plane's port ${port} or services on 127.0.0.1, because the firewall rules could not be added: ${result.reason}. ` +
        'Run Berth as root with iptables installed, or block access from 10.224.0.0/12 and docker0 to the port by other means.'
    if (problem !== '' && problem !== message) log.warn({ port, reason: problem }, 'firewall rules for apps not added')
    if (problem === '' && !isInPlace) log.info({ port, chain: appFirewallChain(port) }, 'firewall rules for apps added')
    isInPlace = problem === ''
    message = problem
  }

  return { ensure, message: () => message }
}

async function apply(port: number, signal?: AbortSignal): Promise<FirewallResult> {
  if (process.getuid?.() !== 0) return { ok: false, reason: 'this process is not root' }
  // each whether or not the others can be added: a kernel may lack a part of them
  const results = [await addRules(port, 'ipv4', signal), await refuseForgeries(appFirewallChain(port), signal)]
  if (hasIpv6()) results.push(await addRules(port, 'ipv6', signal))
  return results.find(({ ok }) => !ok) ?? { ok: true }
}

function createClosedImages(images: AppFirewallDeps['imagePort']) {
  /** Unknown after a start. */
  let isClosed: boolean | undefined

  return async (port: number, signal?: AbortSignal): Promise<FirewallResult> => {
    const isUsed = (await images?.isUsed()) ?? false
    if (images === undefined || (!isUsed && isClosed === false)) return { ok: true }
    const rule = refusedPort(appFirewallChain(port), images.number)
    for (const family of hasIpv6() ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)) {
      if (!isUsed) while ((await iptables(['-D', ...rule], signal, family)).ok);
      const added = isUsed ? await ensureRule('-A', rule, { signal, family }) : ({ ok: true } as const)
      if (!added.ok) return added
    }
    isClosed = isUsed
    return { ok: true }
  }
}

async function addRules(port: number, family: Family, signal: AbortSignal | undefined): Promise<FirewallResult> {
  const { refuse, enter } = appFirewallRules(port, family)
  const chain = appFirewallChain(port)
  const found = await iptables(['-n', '-L', chain], signal, family)
  const made = found.ok ? found : await iptables(['-N', chain], signal, family)
  if (!made.ok) return made
  for (const rule of refuse) {
    const added = await ensureRule('-A', rule, { signal, family })
    if (!added.ok) return added
  }
  // the jump to the chain is added last, once the chain is complete
  for (const rule of enter) {
    const added = await ensureRule('-I', rule, { signal, family })
    if (!added.ok) return added
  }
  return { ok: true }
}

async function refuseForgeries(chain: string, signal: AbortSignal | undefined): Promise<FirewallResult> {
  let result: FirewallResult = { ok: false, reason: 'the kernel has no iptables table for incoming packets' }
  for (const { table, rules } of FORGERY_RULES) {
    result = await replaceChain(chain, rules, { family: 'ipv4', table, signal })
    if (result.ok) result = await ensureRule('-I', [...ARRIVING, chain], { table, signal })
    if (result.ok) break
  }
  return result
}

/** Removes the rules of an instance. */
export async function removeAppFirewall(port: number): Promise<void> {
  const chain = appFirewallChain(port)
  for (const family of ['ipv4', 'ipv6'] as const)
    for (const rule of appFirewallRules(port, family).enter) while ((await iptables(['-D', ...rule], undefined, family)).ok);
  for (const table of ['raw', 'mangle']) while ((await iptables(['-t', table, '-D', ...ARRIVING, chain])).ok);
  for (const table of ['filter', 'raw', 'mangle']) for (const end of ['-F', '-X']) await iptables(['-t', table, end, chain])
  for (const end of ['-F', '-X']) await iptables([end, chain], undefined, 'ipv6')
}
