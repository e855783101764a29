import { readFile, readlink } from 'node:fs/promises'
import type { EngineAddress } from '../engine/api/address.ts'
import { OVERLAY_ADDRESSES } from '../engine/subnets.ts'
import { runTool, toolPath } from './iptables.ts'

type Way = { readonly containerId: string; readonly pid: number; readonly gateway: string; readonly host: string }

const TOOLS = ['nsenter', 'iptables', 'ip']

/** Why this server cannot reach the networks of others, in a sentence; empty if it can. */
export function whyNoOverlayWay({ mode, engine }: { mode: 'auto' | 'off'; engine: EngineAddress }): string {
  const missing = TOOLS.filter((name) => toolPath(name) === undefined)
  const reason =
    mode === 'off'
      ? 'BERTH_PROVISION is off'
      : !('socketPath' in engine)
        ? 'the engine is not on this machine'
        : process.getuid?.() !== 0
          ? 'Berth does not run as root'
          : missing.length > 0
            ? `${missing.join(' and ')} must be installed`
            : ''
  return reason && `Apps run on this server only, because Berth cannot open the way to the others: ${reason}.`
}

/** The pid may be another process's by now, or one of another machine: then its network is not the gateway's, and maybe this machine's. */
async function refuseOtherProcess({ pid, containerId }: Way): Promise<void> {
  const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  const [there, here] = await Promise.all([pid, 'self'].map(async (each) => await readlink(`/proc/${each}/ns/net`).catch(() => '')))
  if (containerId === '' || !cgroup.includes(containerId) || there === '' || there === here)
    throw new Error('the way to other servers could not be opened: the process of the gateway was not found')
}

/** In the gateway's own network. What comes from this server gets the gateway's address, so that containers of other servers can answer. */
export function gatewayRules({ host }: Pick<Way, 'host'>): { table: 'nat' | 'filter'; rule: string[] }[] {
  return [
    { table: 'nat', rule: ['POSTROUTING', '-s', host, '-d', OVERLAY_ADDRESSES, '-j', 'MASQUERADE'] },
    { table: 'filter', rule: ['FORWARD', '-s', host, '-d', OVERLAY_ADDRESSES, '-j', 'ACCEPT'] },
    { table: 'filter', rule: ['FORWARD', '-d', host, '-m', 'conntrack', '--ctstate', 'ESTABLISHED,RELATED', '-j', 'ACCEPT'] },
    { table: 'filter', rule: ['FORWARD', '-j', 'DROP'] },
  ]
}

/**
 * Leads what this machine sends to overlay networks through the gateway. The kernel forwards it, so nothing of it passes through a program.
 * Called repeatedly, it adds what is missing.
 */
export async function openOverlayWay(way: Way): Promise<void> {
  await refuseOtherProcess(way)
  const inGateway = async (args: readonly string[]) =>
    await runTool('nsenter', [`--net=/proc/${way.pid}/ns/net`, toolPath('iptables') ?? 'iptables', '-w', '5', ...args])
  for (const { table, rule } of gatewayRules(way)) {
    if ((await inGateway(['-t', table, '-C', ...rule])).ok) continue
    const added = await inGateway(['-t', table, '-A', ...rule])
    if (!added.ok) throw new Error(`the way to other servers could not be opened: ${added.reason}`)
  }
  const led = await runTool('ip', ['route', 'replace', OVERLAY_ADDRESSES, 'via', way.gateway])
  if (!led.ok) throw new Error(`the way to other servers could not be opened: ${led.reason}`)
}
