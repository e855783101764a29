import { isIPv4 } from 'node:net'

/** The upper half of a /24 is ours to give, but for the broadcast address; the engine gives from the lower one by itself. */
const FIRST = 128
const PLACES = 127

/** What the engine may give by itself in a network of ours. */
export function engineRange(subnet: string): string {
  return subnet.replace(/\/24$/, '/25')
}

/**
 * An address for a new container, at the place of its turn or behind it. The engine would give the one that was freed last, and
 * visitors who are still sent to a release that died would meet another app there; here it comes round again after many turns.
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
