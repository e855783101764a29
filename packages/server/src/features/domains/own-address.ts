import { readFile } from 'node:fs/promises'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { DnsRecord } from '@berth/contract'
import { kindOfAddress } from '../../lib/address-kinds.ts'

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>
type Routes = { ipv4: string; ipv6: string }

const IS_UP = 1
const NOT_OURS_TO_SET = /^(fe80|169\.254\.)/

/** The interfaces of the default routes, from the text of /proc/net/route, lowest metric first. */
function defaultInterfaces4(table: string): string[] {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/))
  return rows
    .filter(
      ([, destination, , flags = '0', , , , mask]) =>
        destination === '00000000' && mask === '00000000' && Number.parseInt(flags, 16) & IS_UP,
    )
    .toSorted((a, b) => Number(a[6]) - Number(b[6]))
    .flatMap(([name]) => (name === undefined ? [] : [name]))
}

/** The same, from the text of /proc/net/ipv6_route. The kernel's reject routes are on `lo`. */
function defaultInterfaces6(table: string): string[] {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/))
  return rows
    .filter(([destination = '', length]) => /^0{32}$/.test(destination) && length === '00')
    .toSorted((a, b) => Number.parseInt(a[5] ?? '', 16) - Number.parseInt(b[5] ?? '', 16))
    .flatMap((row) => (row[9] === undefined || row[9] === 'lo' ? [] : [row[9]]))
}

/** The first address of each family on the default route; a public one before a private one. */
export function recordsOf(interfaces: Interfaces, routes: Routes): DnsRecord[] {
  const first = (names: readonly string[], family: 'IPv4' | 'IPv6'): DnsRecord[] => {
    const records = names
      .flatMap((name) => interfaces[name] ?? [])
      .filter((entry) => entry.family === family && !entry.internal && !NOT_OURS_TO_SET.test(entry.address))
      .map(({ address }) => ({
        type: family === 'IPv4' ? ('A' as const) : ('AAAA' as const),
        value: address,
        isPrivate: kindOfAddress(address) !== 'public',
      }))
    const [best] = [...records.filter(({ isPrivate }) => !isPrivate), ...records]
    return best ? [best] : []
  }
  return [...first(defaultInterfaces4(routes.ipv4), 'IPv4'), ...first(defaultInterfaces6(routes.ipv6), 'IPv6')]
}

/** Of other servers that visitors can come in over, at the addresses that they have joined with. */
export function recordsOfOthers(addresses: readonly string[]): DnsRecord[] {
  return addresses.map((value) => ({ type: 'A', value, isPrivate: kindOfAddress(value) !== 'public' }))
}

/** The addresses DNS should point to, as far as the machine itself knows them. */
export async function ownRecords(): Promise<DnsRecord[]> {
  const read = async (path: string) => await readFile(path, 'utf8').catch(() => '')
  return recordsOf(networkInterfaces(), { ipv4: await read('/proc/net/route'), ipv6: await read('/proc/net/ipv6_route') })
}
