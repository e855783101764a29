import { METADATA } from '../../provision/iptables.ts'

/** The addresses of this server, and the port of the control plane on them. */
export type ControlPlane = { readonly addresses: readonly string[]; readonly port: number }

const METADATA_SERVICES = ['169.254.169.254:80', '168.63.129.16:80', '100.100.100.200:80']

/** What containers on other servers must not reach, and a check tries to. On this server Berth's own firewall refuses it. */
export function closedToApps({ addresses, port }: ControlPlane): string[] {
  return [...METADATA_SERVICES, ...addresses.map((address) => `${address}:${port}`)]
}

/** The rules for another server, as words of a command. What leaves an overlay network there comes over docker_gwbridge. */
export function closingRules({ addresses, port }: ControlPlane): string[] {
  const from = 'DOCKER-USER -i docker_gwbridge -d'
  const control = `${from} ${addresses.join(',')} -p tcp --dport ${port} -j REJECT --reject-with tcp-reset`
  return [`${from} ${METADATA.ipv4.join(',')} -j REJECT`, ...(addresses.length === 0 ? [] : [control])]
}
