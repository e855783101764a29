import { isIPv4 } from 'node:net'

/** We assign addresses from the upper half of a /24, except the broadcast address; the engine assigns from the lower half by itself. */
const FIRST = 128
const PLACES = 127

/** The range from which the engine assigns addresses by itself in our networks. */
export function engineRange(subnet: string): string {
  return subnet.replace(/\/24$/, '/25')
}

/**
 * An address for a new container, chosen in rotation. The engine would reuse the address that was freed last, and visitors still being
 * sent to a dead release would reach another app; in rotation an address is reused only after many others.
 */
export function freeAddress(subnet: string, taken: ReadonlySet<string>, turn: number): string | undefined {
  const [network = '', prefix] = subnet.split('/')
  if (!isIPv4(network) || prefix !== '24') return undefined
  const base = network.replace(/\.\d+$/, '')
  for (let step = 0; step < PLACES; step += 1) {
    const address = `${base}.${FIRST + ((turn + step) % PLACES)}`
    if (!taken.has(address)) return address
  }
  return undefined
}
