import { METADATA } from '../../provision/iptables.ts'
import type { Trust } from './join-command.ts'

/** The addresses of this server, and the ports on them that apps must not reach: of the control plane, and of the images. */
export type ControlPlane = { readonly addresses: readonly string[]; readonly ports: readonly number[] }

const METADATA_SERVICES = ['169.254.169.254:80', '168.63.129.16:80', '100.100.100.200:80', '192.0.0.192:80']

/** What containers on other servers must not reach, and a check tries to. On this server Berth's own firewall refuses it. */
export function closedToApps({ addresses, ports }: ControlPlane): string[] {
  return [...METADATA_SERVICES, ...addresses.flatMap((address) => ports.map((port) => `${address}:${port}`))]
}

/** The rules for another server, as words of a command. What leaves an overlay network there comes over docker_gwbridge. */
function closingRules({ addresses, ports }: ControlPlane): string[] {
  const from = 'DOCKER-USER -i docker_gwbridge -d'
  const closed = ports.map((port) => `${from} ${addresses.join(',')} -p tcp --dport ${port} -j REJECT --reject-with tcp-reset`)
  return [`${from} ${METADATA.ipv4.join(',')} -j REJECT`, ...(addresses.length === 0 ? [] : closed)]
}

/** What another server has to be told: the rules above, and whom to trust for images. */
export type Told = { readonly rules: readonly string[]; readonly trust: Trust | undefined }
export type Telling = { controlPlane: () => ControlPlane; trust: () => Promise<Trust | undefined> }

export async function toldTo({ controlPlane, trust }: Telling): Promise<Told> {
  return { rules: closingRules(controlPlane()), trust: await trust() }
}
