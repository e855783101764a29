/**
 * The subnets that the machine already has routes to, from the text of /proc/net/route: a company network in our pool, or the bridge of
 * an engine that no longer runs. The engine does not check these, and two routes to one subnet lose packets.
 */
export function hostSubnets(table: string): string[] {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, destination = '', , , , , , mask = '']) => {
      if (!/^[0-9A-F]{8}$/.test(destination) || !/^[0-9A-F]{8}$/.test(mask) || mask === '00000000') return [] // the default route is not a subnet
      return [`${address(destination)}/${ones(mask)}`]
    })
}

/** The kernel writes addresses as little-endian numbers. */
function bytesOf(hex: string): number[] {
  return [3, 2, 1, 0].map((index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
}

function address(hex: string): string {
  return bytesOf(hex).join('.')
}

function ones(mask: string): number {
  return bytesOf(mask).reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
}
