import type { Domain } from '@berth/contract'

export type RecordToSet = { type: 'A' | 'AAAA' | 'CNAME'; name: string; value: string }
type Hint = { is: 'records'; records: readonly RecordToSet[] } | { is: 'private'; addresses: readonly string[] } | { is: 'unknown' }

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/
const INSIDE_ONLY = /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./
const INSIDE_ONLY_6 = /^\[(::1\]|f[cd]|fe[89ab])/i

/** The address in the browser leads to this server too, unless it is local or private. */
function byDashboard(name: string, host: string): RecordToSet | undefined {
  if (IPV4.test(host)) return INSIDE_ONLY.test(host) ? undefined : { type: 'A', name, value: host }
  if (host.startsWith('[')) return INSIDE_ONLY_6.test(host) ? undefined : { type: 'AAAA', name, value: host.slice(1, -1) }
  const isLocal = !host.includes('.') || /\.(localhost|local|internal|lan)$/.test(host)
  return isLocal ? undefined : { type: 'CNAME', name, value: host }
}

/** The DNS records for a host name: from the server's own addresses, or else from the dashboard's. */
export function dnsHint({ domain, dnsRecords }: Pick<Domain, 'domain' | 'dnsRecords'>, dashboardHost: string): Hint {
  const open = dnsRecords.filter(({ isPrivate }) => !isPrivate).map(({ type, value }) => ({ type, name: domain, value }))
  if (open.length > 0) return { is: 'records', records: open }
  const record = byDashboard(domain, dashboardHost)
  if (record) return { is: 'records', records: [record] }
  if (dnsRecords.length > 0) return { is: 'private', addresses: dnsRecords.map(({ value }) => value) }
  return { is: 'unknown' }
}
