import { isIP, isIPv4 } from 'node:net'
import type { Settings } from '@berth/contract'

/** Every address of an app without a domain of its own is a name right below this one. */
export type BaseDomain = { name: string; kind: 'wildcard' | 'address' | 'localhost' }

type Names = Pick<Settings, 'wildcardDomain' | 'automaticDomain'>

/** `address` is the one people reach this server by; undefined while only this machine has opened the dashboard. */
export function baseDomain({ wildcardDomain, automaticDomain }: Names, address: string | undefined): BaseDomain | undefined {
  if (wildcardDomain !== '') return { name: wildcardDomain, kind: 'wildcard' }
  if (automaticDomain === '') return undefined
  if (address === undefined) return { name: 'localhost', kind: 'localhost' }
  const label = labelOf(address)
  return label === undefined ? undefined : { name: `${label}.${automaticDomain}`, kind: 'address' }
}

/** sslip.io and its like read the address from the name: 192.0.2.7 as 192-0-2-7, 2001:db8::7 as 2001-db8--7. */
function labelOf(address: string): string | undefined {
  if (isIP(address) === 0) return undefined
  const label = address.replaceAll(isIPv4(address) ? '.' : ':', '-')
  return label.startsWith('-') ? `0${label}` : label.endsWith('-') ? `${label}0` : label
}

/** Whether the name itself says where it leads: no DNS record of the user's is involved, and no certificate is ordered. */
export function needsNoDns(host: string, base: BaseDomain | undefined): boolean {
  return host.endsWith('.localhost') || (base !== undefined && base.kind !== 'wildcard' && host.endsWith(`.${base.name}`))
}
