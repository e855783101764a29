import { isIP, isIPv4 } from 'node:net'
import type { Settings } from '@berth/contract'

/** The generated domain of every app is directly below this name. */
export type BaseDomain = { name: string; kind: 'wildcard' | 'address' | 'localhost' }

type Names = Pick<Settings, 'wildcardDomain' | 'automaticDomain'>

/** `address` is the address people use to reach this server; undefined while the dashboard was only opened from this machine. */
export function baseDomain({ wildcardDomain, automaticDomain }: Names, address: string | undefined): BaseDomain | undefined {
  if (wildcardDomain !== '') return { name: wildcardDomain, kind: 'wildcard' }
  if (automaticDomain === '') return undefined
  if (address === undefined) return { name: 'localhost', kind: 'localhost' }
  const label = labelOf(address)
  return label === undefined ? undefined : { name: `${label}.${automaticDomain}`, kind: 'address' }
}

/** Services such as sslip.io resolve the address contained in the name: 192.0.2.7 as 192-0-2-7, 2001:db8::7 as 2001-db8--7. */
function labelOf(address: string): string | undefined {
  if (isIP(address) === 0) return undefined
  const label = address.replaceAll(isIPv4(address) ? '.' : ':', '-')
  return label.startsWith('-') ? `0${label}` : label.endsWith('-') ? `${label}0` : label
}

export function isBelow(host: string, base: BaseDomain): boolean {
  return host.endsWith(`.${base.name}`)
}

/** Whether the name contains its address: it needs no DNS record, and no certificate is ordered. */
export function needsNoDns(host: string, base: BaseDomain | undefined): boolean {
  return host.endsWith('.localhost') || (base !== undefined && base.kind !== 'wildcard' && isBelow(host, base))
}

/** Of a name that is deeper than directly below the base domain: the name directly below it. Undefined for all others. */
export function nameAbove(host: string, base: BaseDomain | undefined): string | undefined {
  if (base === undefined || !isBelow(host, base)) return undefined
  const labels = host.slice(0, -base.name.length - 1).split('.')
  return labels.length === 1 ? undefined : `${labels.at(-1)}.${base.name}`
}
