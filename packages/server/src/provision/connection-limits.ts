import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { ENTRY_CHAINS, FROM_CONTAINERS, hasIpv6 } from './app-firewall.ts'
import { ensureRule, type Family, type FirewallResult, iptables, listChain, replaceChain } from './iptables.ts'

const TABLE_SIZE = '/proc/sys/net/netfilter/nf_conntrack_max'
/** How long the kernel keeps a closed connection in its table. */
const CLOSED_SECONDS = 120
/** Of the subnet of a project's network. */
const PROJECT_PREFIX = 24
/** Parts of the table. What is left over, a bit less than a tenth at worst, is for visitors, the edge and the control plane. */
const SHARES = {
  project: { open: 1 / 8, closed: 3 / 8 },
  all: { open: 1 / 4, closed: 1 / 2 },
  ipv6: { open: 1 / 32, closed: 1 / 16 },
} as const
/** The most that xt_limit accepts. */
const MOST_PER_SECOND = 10_000
const MOST_BURST = 100_000
const BUILDS = ['-i', 'docker0']
const NEW = ['-m', 'conntrack', '--ctstate', 'NEW']
const DROP = ['-j', 'DROP']

function connectionLimitsChain(port: number): string {
  return `BERTH-C-${port}`
}

/**
 * The kernel has one table of connections for the machine, and without free space in it nobody gets a new connection. So the containers of
 * a project, and all containers together, may have a part of it: by the number of open connections, and by the rate of new ones, because
 * those that were closed stay in the table for two minutes. Build steps may write raw packets with any sender of their bridge, over IPv6 too,
 * although they have no address there, so all senders of that bridge count as one.
 */
export function connectionLimitRules(port: number, tableSize: number): Record<Family, string[][]> {
  const perSecond = (share: number) => Math.min(MOST_PER_SECOND, Math.max(1, Math.floor((tableSize * share) / CLOSED_SECONDS)))
  const burst = Math.min(MOST_BURST, Math.floor(tableSize / 32))
  const words = (text: string) => [...text.split(' '), ...DROP]
  const openAbove = (share: number, prefix: number) =>
    words(`-m connlimit --connlimit-above ${Math.floor(tableSize * share)} --connlimit-mask ${prefix} --connlimit-saddr`)
  // The kernel keeps a counter with its first rate under the same name, so a new rate needs a new name.
  const fasterThan = (share: number, prefix: number, name: string) =>
    words(
      `-m hashlimit --hashlimit-above ${perSecond(share)}/sec --hashlimit-burst ${burst} --hashlimit-mode srcip --hashlimit-srcmask ${prefix} --hashlimit-name berth-${name}-${port}-${perSecond(share)}`,
    )
  return {
    ipv4: [
      [...BUILDS, ...fasterThan(SHARES.project.closed, 0, 'builds')],
      [...BUILDS, ...openAbove(SHARES.project.open, 0)],
      fasterThan(SHARES.project.closed, PROJECT_PREFIX, 'project'),
      fasterThan(SHARES.all.closed, 0, 'all'),
      openAbove(SHARES.project.open, PROJECT_PREFIX),
      openAbove(SHARES.all.open, 0),
    ],
    ipv6: [fasterThan(SHARES.ipv6.closed, 0, 'ipv6'), openAbove(SHARES.ipv6.open, 0)],
  }
}

/** Limits the connections of containers. Called repeatedly, it repairs rules that are missing and follows a new size of the table. */
export function createConnectionLimits(deps: {
  log: Pick<Logger, 'info' | 'warn'>
  mode: 'auto' | 'off'
  tableSize?: () => Promise<number>
}) {
  const { log, mode, tableSize = sizeOfTable } = deps
  let message = ''
  let isInPlace = false
  let dropped = 0

  async function ensure(port: number, signal?: AbortSignal): Promise<void> {
    if (mode === 'off' || process.getuid?.() !== 0) return
    const result = await apply(port, await tableSize(), signal)
    await reportDropped(port, signal)
    if (signal?.aborted) return
    const problem = result.ok ? '' : `One app can use up the connections of the whole machine: ${result.reason}.`
    if (problem !== '' && problem !== message) log.warn({ reason: problem }, 'connection limits for apps not added')
    if (problem === '' && !isInPlace) log.info({ chain: connectionLimitsChain(port) }, 'connection limits for apps added')
    isInPlace = problem === ''
    message = problem
  }

  /** Whoever wonders why connections of an app take seconds finds it in the log. */
  async function reportDropped(port: number, signal: AbortSignal | undefined): Promise<void> {
    const packets = await droppedBy(connectionLimitsChain(port), signal)
    if (packets > dropped) log.warn({ packets: packets - dropped }, 'containers opened too many connections, and new ones were dropped')
    dropped = packets
  }

  return { ensure, message: () => message }
}

async function droppedBy(chain: string, signal: AbortSignal | undefined): Promise<number> {
  const listed = await listChain(chain, signal)
  const rows = listed.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.filter(([, , target]) => target === 'DROP').reduce((sum, [packets]) => sum + Number(packets), 0)
}

/** 0 where the kernel does not track connections. */
async function sizeOfTable(): Promise<number> {
  return Number(await readFile(TABLE_SIZE, 'utf8').catch(() => '0'))
}

async function apply(port: number, tableSize: number, signal: AbortSignal | undefined): Promise<FirewallResult> {
  if (tableSize === 0) return { ok: true }
  const rules = connectionLimitRules(port, tableSize)
  const results: FirewallResult[] = []
  for (const family of families()) results.push(await addRules(connectionLimitsChain(port), rules[family], { family, signal }))
  return results.find(({ ok }) => !ok) ?? { ok: true }
}

const families = (): Family[] => (hasIpv6() ? ['ipv4', 'ipv6'] : ['ipv4'])

type Where = { readonly family: Family; readonly signal: AbortSignal | undefined }

async function addRules(chain: string, rules: readonly string[][], { family, signal }: Where): Promise<FirewallResult> {
  if (!(await areAllThere(chain, rules, { family, signal }))) {
    const replaced = await replaceChain(chain, rules, { family, signal })
    if (!replaced.ok) return replaced
  }
  for (const rule of jumpsTo(chain, family)) {
    const entered = await ensureRule('-I', rule, { family, signal })
    if (!entered.ok) return entered
  }
  return { ok: true }
}

/** They are not replaced needlessly, because a new rule does not count the connections that are already open. */
async function areAllThere(chain: string, rules: readonly string[][], { family, signal }: Where): Promise<boolean> {
  for (const rule of rules) if (!(await iptables(['-C', chain, ...rule], signal, family)).ok) return false
  return true
}

function jumpsTo(chain: string, family: Family): string[][] {
  return FROM_CONTAINERS[family].flatMap((match) => ENTRY_CHAINS[family].map((from) => [from, ...match, ...NEW, '-j', chain]))
}

/** Removes the rules of an instance. */
export async function removeConnectionLimits(port: number): Promise<void> {
  const chain = connectionLimitsChain(port)
  for (const family of families()) {
    for (const rule of jumpsTo(chain, family)) while ((await iptables(['-D', ...rule], undefined, family)).ok);
    for (const end of ['-F', '-X']) await iptables([end, chain], undefined, family)
  }
}
