import { isIPv4 } from 'node:net'

type Range = { readonly first: number; readonly last: number }

/** The range of all app networks, enough for 4,096 networks of /24; the engine's own pools only have about thirty. */
export const APP_ADDRESSES = '10.224.0.0/12'
/** Its upper half is for networks over several servers, of which Swarm takes one by one. */
export const OVERLAY_ADDRESSES = '10.232.0.0/13'
const PIECE_SIZE = 256

export function* freeSubnets(taken: readonly string[]): Generator<string> {
  const ranges = taken.flatMap(rangeOf)
  const [pool] = rangeOf(APP_ADDRESSES)
  for (let first = pool?.first ?? 0; first < (pool?.last ?? 0); first += PIECE_SIZE) {
    const piece = { first, last: first + PIECE_SIZE - 1 }
    if (!ranges.some((range) => meet(piece, range))) yield `${addressOf(first)}/24`
  }
}

export function isAppAddress(address: string): boolean {
  return isInSubnet(address, APP_ADDRESSES)
}

/** Of a container in a network over several servers. */
export function isOverlayAddress(address: string): boolean {
  return isInSubnet(address, OVERLAY_ADDRESSES)
}

export function isInSubnet(address: string, subnet: string): boolean {
  if (!isIPv4(address)) return false
  const one = numberOf(address)
  return rangeOf(subnet).some(({ first, last }) => first <= one && one <= last)
}

/** IPv6 ranges are not ours and are ignored. */
function rangeOf(subnet: string): Range[] {
  const [address = '', prefix = ''] = subnet.split('/')
  if (!isIPv4(address) || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32) return []
  const size = 2 ** (32 - Number(prefix))
  const first = Math.floor(numberOf(address) / size) * size
  return [{ first, last: first + size - 1 }]
}

function meet(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function addressOf(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.')
}
