import { expect, it } from 'vitest'
import { kindOfAddress } from '../lib/address-kinds.ts'
import { METADATA } from './iptables.ts'

const SERVICES = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254']

it('the firewalls and the source policy know the same metadata services', () => {
  const ranges: readonly string[] = [...METADATA.ipv4, ...METADATA.ipv6]
  for (const address of SERVICES) {
    expect([address, kindOfAddress(address)]).toEqual([address, 'forbidden'])
    const isCovered = ranges.some(
      (range) => range.startsWith(`${address}/`) || (range.endsWith('/16') && address.startsWith(range.slice(0, 8))),
    )
    expect([address, isCovered]).toEqual([address, true])
  }
})
