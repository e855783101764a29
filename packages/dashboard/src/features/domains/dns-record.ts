export type DnsRecord = { type: 'A' | 'AAAA' | 'CNAME'; name: string; value: string }

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/

/** The record that makes a host name lead to this server, as far as the address of the dashboard tells it. */
export function dnsRecord(domain: string, dashboardHost: string): DnsRecord | undefined {
  if (LOOPBACK.test(dashboardHost)) return undefined
  if (IPV4.test(dashboardHost)) return { type: 'A', name: domain, value: dashboardHost }
  if (dashboardHost.startsWith('[')) return { type: 'AAAA', name: domain, value: dashboardHost.slice(1, -1) }
  return { type: 'CNAME', name: domain, value: dashboardHost }
}
