import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** `forbidden`: link-local, metadata services, multicast and the like, which nobody may access through Berth. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden'

const FORBIDDEN = blocks([
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  '100::/64',
])
const LOOPBACK = blocks(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'])
const PRIVATE = blocks([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
  'fc00::/7',
  'fec0::/10',
])

export function kindOfAddress(address: string): AddressKind {
  const plain = address.replace(/%[^]*/, '')
  if (!isIPv4(plain) && !isIPv6(plain)) return 'forbidden'
  // An IPv4 address embedded in an IPv6 one is judged as the IPv4 address.
  const inner = isIPv6(plain) ? embeddedIpv4(plain) : null
  if (inner !== null) return kindOfAddress(inner)
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6'
  if (FORBIDDEN.check(plain, family)) return 'forbidden'
  if (LOOPBACK.check(plain, family)) return 'loopback'
  return PRIVATE.check(plain, family) ? 'private' : 'public'
}

function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(address)
  const ipv4 = (high = 0, low = 0) => [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  if (isZero(0, 5) && (groups[5] === 0xffff || groups[5] === 0) && !isZero(6, 7)) return ipv4(groups[6], groups[7]) // mapped, compatible
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return ipv4(groups[6], groups[7]) // translated
  if (isZero(0, 5) && groups[5] === 0xffff) return ipv4(groups[6], groups[7])
  if (groups[0] === 0x64 && groups[1] === 0xff9b) return ipv4(groups[6], groups[7]) // NAT64
  if (groups[0] === 0x2002) return ipv4(groups[1], groups[2]) // 6to4
  return null
}

function groupsOf(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [a = 0, b = 0, c = 0, d = 0] = dotted === null ? [] : dotted.slice(1).map(Number)
  const hex =
    dotted === null ? address : address.slice(0, dotted.index) + [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(':')
  const [left = '', right] = hex.split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  if (right === undefined) return parse(left)
  const [head, tail] = [parse(left), parse(right)]
  return [...head, ...Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => 0), ...tail]
}

function blocks(subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix = ''] = subnet.split('/')
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
