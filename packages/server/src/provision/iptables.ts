import { existsSync } from 'node:fs'
import { runSystemCommand } from './system-command.ts'

export type FirewallResult = { ok: true } | { ok: false; reason: string }
export type Family = 'ipv4' | 'ipv6'
/** In the order in which an incoming packet passes them. Default: `filter`. */
export type Table = 'raw' | 'mangle' | 'filter'

/** The metadata services, where clouds hand out credentials to any process on the machine. */
export const METADATA = {
  ipv4: ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'],
  ipv6: ['fd00:ec2::254/128'],
} as const

const TIMEOUT_MS = 20_000
// By their full paths, because a service's PATH may lack the sbin directories.
const DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/bin']
/** A machine may have thousands of rules of its own. */
const MOST_LISTED = 16 * 1024 * 1024
/** Waits for other programs that are changing the tables. */
const WAIT = ['-w', '5']
const PROGRAM = { ipv4: 'iptables', ipv6: 'ip6tables' } as const satisfies Record<Family, string>

/** The full path of a program, if it is installed. */
export function toolPath(name: string): string | undefined {
  return DIRECTORIES.map((directory) => `${directory}/${name}`).find((path) => existsSync(path))
}

export async function runTool(
  name: string,
  args: readonly string[],
  options: { input?: string; signal?: AbortSignal | undefined; keptOutput?: number } = {},
) {
  const program = toolPath(name)
  if (program === undefined) return { ok: false, reason: `${name} is not installed` } as const
  const { ok, output } = await runSystemCommand(program, args, { timeoutMs: TIMEOUT_MS, ...options })
  return ok ? ({ ok, output } as const) : ({ ok, reason: output.split('\n')[0] ?? '' } as const)
}

export async function iptables(args: readonly string[], signal?: AbortSignal, family: Family = 'ipv4'): Promise<FirewallResult> {
  return await runTool(PROGRAM[family], [...WAIT, ...args], { signal })
}

/** The rules of a chain with their exact counters, or nothing if it does not exist. */
export async function listChain(chain: string, signal?: AbortSignal): Promise<string> {
  const listed = await runTool(PROGRAM.ipv4, [...WAIT, '-nvxL', chain], { signal, keptOutput: MOST_LISTED })
  return listed.ok ? listed.output : ''
}

/** Adds a rule, `[chain, ...match]`, unless it is there. */
export async function ensureRule(
  how: '-A' | '-I',
  rule: readonly string[],
  options: { signal?: AbortSignal | undefined; family?: Family; table?: Table } = {},
): Promise<FirewallResult> {
  const { signal, family, table = 'filter' } = options
  const isThere = await iptables(['-t', table, '-C', ...rule], signal, family)
  return isThere.ok ? isThere : await iptables(['-t', table, how, ...rule], signal, family)
}

/** Removes every rule that leads from one chain to another, whatever else it matches. */
export async function removeJumps(from: string, to: string, family: Family): Promise<void> {
  const listed = await runTool(PROGRAM[family], [...WAIT, '-S', from], { keptOutput: MOST_LISTED })
  const rules = listed.ok ? listed.output.split('\n').map((line) => line.replaceAll('"', '').split(' ')) : []
  for (const [, ...rule] of rules) if (rule[0] === from && rule.at(-1) === to) await iptables(['-D', ...rule], undefined, family)
}

/** Replaces the rules of a chain atomically: it is never empty or incomplete in between. */
export async function replaceChain(
  chain: string,
  rules: readonly (readonly string[])[],
  options: { signal?: AbortSignal | undefined; family: Family; table?: Table },
): Promise<FirewallResult> {
  const { table = 'filter' } = options
  const input = [`*${table}`, `:${chain} - [0:0]`, ...rules.map((rule) => `-A ${chain} ${rule.join(' ')}`), 'COMMIT', ''].join('\n')
  return await runTool(`${PROGRAM[options.family]}-restore`, [...WAIT, '--noflush'], { input, signal: options.signal })
}

/** Rules for frames between the ports of a bridge. Debian's iptables package includes this program. */
export async function ebtables(args: readonly string[], signal?: AbortSignal) {
  return await runTool('ebtables-nft', args, { signal })
}

/** Like `replaceChain`. */
export async function replaceBridgeChain(
  chain: string,
  rules: readonly (readonly string[])[],
  signal: AbortSignal | undefined,
): Promise<FirewallResult> {
  const input = ['*filter', `:${chain} RETURN`, ...rules.map((rule) => `-A ${chain} ${rule.join(' ')}`), 'COMMIT', ''].join('\n')
  return await runTool('ebtables-nft-restore', ['--noflush'], { input, signal })
}
