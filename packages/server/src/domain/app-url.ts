import type { DnsStatus, SslStatus } from '@berth/contract'

export type EdgePorts = { httpPort: number; httpsPort: number }
type Host = { host: string; ssl_status: SslStatus }

/** The URL of a host: https once it has a certificate, with the port unless it is the default one. */
export function hostUrl({ host, ssl_status }: Host, { httpPort, httpsPort }: EdgePorts): string {
  if (ssl_status === 'active') return `https://${host}${httpsPort === 443 ? '' : `:${httpsPort}`}/`
  return `http://${host}${httpPort === 80 ? '' : `:${httpPort}`}/`
}

/** The address of an app with several hosts: the first with a certificate, else the first whose DNS leads here, else the first. */
export function bestHost<Each extends Host & { dns_status: DnsStatus }>(hosts: readonly Each[]): Each | undefined {
  const works = hosts.filter(({ dns_status }) => dns_status === 'ok')
  return works.find(({ ssl_status }) => ssl_status === 'active') ?? works[0] ?? hosts[0]
}
