import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { ownRecords, recordsOf } from './own-address.ts'

function on(...addresses: string[]): NetworkInterfaceInfo[] {
  return addresses.map((address) => {
    const shared = { address, netmask: '', mac: '', internal: false, cidr: null }
    return address.includes(':') ? { ...shared, family: 'IPv6', scopeid: 0 } : { ...shared, family: 'IPv4' }
  })
}

const HEAD = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT'
const route4 = (name: string, metric = 0) => `${name}\t00000000\t010200C0\t0003\t0\t0\t${metric}\t00000000\t0\t0\t0`
const NETWORK = 'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0'
const ZERO = '0'.repeat(32)
const route6 = (name: string, metric = '00000400') =>
  `${ZERO} 00 ${ZERO} 00 fe80${'0'.repeat(28)} ${metric} 00000001 00000000 00000003 ${name}`

it("returns the address of the default route's interface", () => {
  const interfaces = { docker0: on('172.17.0.1'), wg0: on('8.8.4.4'), eth0: on('8.8.8.8', 'fe80::1', '2606:4700::1') }
  const routes = { ipv4: [HEAD, NETWORK, route4('eth0')].join('\n'), ipv6: [route6('lo', 'ffffffff'), route6('eth0')].join('\n') }
  expect(recordsOf(interfaces, routes)).toEqual([
    { type: 'A', value: '8.8.8.8', isPrivate: false },
    { type: 'AAAA', value: '2606:4700::1', isPrivate: false },
  ])
})

it('prefers a public address, and marks a private one', () => {
  const interfaces = { eth0: on('10.0.0.5', 'fd00::2'), eth1: on('192.168.1.9', '8.8.8.8') }
  const ipv6 = route6('eth0')
  expect(recordsOf(interfaces, { ipv4: [HEAD, route4('eth0')].join('\n'), ipv6 })).toEqual([
    { type: 'A', value: '10.0.0.5', isPrivate: true },
    { type: 'AAAA', value: 'fd00::2', isPrivate: true },
  ])
  const both = [HEAD, route4('eth0'), route4('eth1', 100)].join('\n')
  expect(recordsOf(interfaces, { ipv4: both, ipv6: '' })).toEqual([{ type: 'A', value: '8.8.8.8', isPrivate: false }])
})

it('uses the default route with the lowest metric', () => {
  const interfaces = { eth0: on('8.8.8.8'), eth1: on('8.8.4.4') }
  const ipv4 = [HEAD, route4('eth0', 600), route4('eth1', 100)].join('\n')
  expect(recordsOf(interfaces, { ipv4, ipv6: '' }).map(({ value }) => value)).toEqual(['8.8.4.4'])
})

it('returns nothing without a default route', () => {
  expect(recordsOf({ eth0: on('8.8.8.8') }, { ipv4: HEAD, ipv6: '' })).toEqual([])
})

it('reads the machine that it runs on', async () => {
  for (const { type, value } of await ownRecords()) expect(value).toMatch(type === 'A' ? /^\d+(\.\d+){3}$/ : /:/)
})
