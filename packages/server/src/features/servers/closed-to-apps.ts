import { GOSSIP_PORT, MANAGER_PORT, OVERLAY_PORT, SWARM_PORTS } from '../../engine/swarm/ports.ts'
import { METADATA } from '../../provision/iptables.ts'
import type { Trust } from './join-command.ts'

/** The addresses of this server, and the ports on them that apps must not reach: of the control plane, and of the images. */
export type ControlPlane = { readonly addresses: readonly string[]; readonly ports: readonly number[] }

const RESET = '-j REJECT --reject-with tcp-reset'
const METADATA_SERVICES = ['169.254.169.254:80', '168.63.129.16:80', '100.100.100.200:80', '192.0.0.192:80']

/**
 * What containers on another server must not reach, and a check tries to. On this server Berth's own firewall refuses it.
 * Nothing answers on UDP: it counts as reached if it is not refused, which only the server itself always says.
 */
export function closedToApps({ addresses, ports }: ControlPlane, there: string): string[] {
  const here = addresses.flatMap((address) => [...ports, MANAGER_PORT, GOSSIP_PORT].map((port) => `${address}:${port}`))
  return [...METADATA_SERVICES, ...here, `${there}:${GOSSIP_PORT}`, `${there}:${OVERLAY_PORT}/udp`]
}

/** The rules for another server, as words of a command. What leaves an overlay network there comes over docker_gwbridge. */
function closingRules({ addresses, ports }: ControlPlane): string[] {
  const from = 'DOCKER-USER -i docker_gwbridge -d'
  const closed = ports.map((port) => `${from} ${addresses.join(',')} -p tcp --dport ${port} ${RESET}`)
  return [`${from} ${METADATA.ipv4.join(',')} -j REJECT`, ...(addresses.length === 0 ? [] : closed), ...SWARM_RULES]
}

/** To that server itself and to all others. */
const SWARM_RULES = ['INPUT', 'DOCKER-USER'].flatMap((chain) => [
  `${chain} -i docker_gwbridge -p tcp -m multiport --ports ${SWARM_PORTS.tcp.join()} ${RESET}`,
  `${chain} -i docker_gwbridge -p udp -m multiport --ports ${SWARM_PORTS.udp.join()} -j REJECT`,
])

/** What another server has to be told: the rules above, and whom to trust for images. */
export type Told = { readonly rules: readonly string[]; readonly trust: Trust | undefined }
export type Telling = { controlPlane: () => ControlPlane; trust: () => Promise<Trust | undefined> }

export async function toldTo({ controlPlane, trust }: Telling): Promise<Told> {
  return { rules: closingRules(controlPlane()), trust: await trust() }
}
