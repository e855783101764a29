import { OVERLAY_ADDRESSES } from '../engine/subnets.ts'
import { runTool } from './iptables.ts'

type Way = { readonly pid: number; readonly gateway: string; readonly host: string }

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
  const inGateway = async (args: readonly string[]) =>
    await runTool('nsenter', [`--net=/proc/${way.pid}/ns/net`, 'iptables', '-w', '5', ...args])
  for (const { table, rule } of gatewayRules(way)) {
    if ((await inGateway(['-t', table, '-C', ...rule])).ok) continue
    const added = await inGateway(['-t', table, '-A', ...rule])
    if (!added.ok) throw new Error(`the way to other servers could not be opened: ${added.reason}`)
  }
  const led = await runTool('ip', ['route', 'replace', OVERLAY_ADDRESSES, 'via', way.gateway])
  if (!led.ok) throw new Error(`the way to other servers could not be opened: ${led.reason}`)
}
