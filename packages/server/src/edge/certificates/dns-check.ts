import { Resolver } from 'node:dns/promises'
import { kindOfAddress } from '../../lib/address-kinds.ts'
import { errorCode } from '../../lib/error-code.ts'

export type Resolve = (host: string) => Promise<string[]>
export type DnsCheck = {
  readonly dnsStatus: 'unknown' | 'ok' | 'wrong'
  readonly dnsError: string | null
  readonly found: readonly string[]
}

/** A name can have thousands of addresses, and the error that names them is stored and shown in lists. */
const MOST_NAMED = 4
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA'])

/** Queries DNS, not the machine's hosts file: what counts is what the rest of the world sees. */
export function createResolve(options: { servers?: readonly string[]; timeoutMs?: number } = {}): Resolve {
  const resolver = new Resolver({ timeout: options.timeoutMs ?? 3_000, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failure = answers.find((answer) => answer.status === 'rejected' && !isNoSuchName(answer.reason))
    if (found.length === 0 && failure?.status === 'rejected') throw failure.reason
    return found
  }
}

function isNoSuchName(reason: unknown): boolean {
  return NO_SUCH_NAME.has(errorCode(reason) ?? '')
}

/** Does the name point here? `addresses` are this server's own, as the world sees them; with none known the answer is `unknown`. */
export async function checkDns(host: string, deps: { resolve: Resolve; addresses: readonly string[] }): Promise<DnsCheck> {
  let found: string[]
  try {
    found = await deps.resolve(host)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { dnsStatus: 'unknown', dnsError: `The name servers did not answer (${reason}). Try again later.`, found: [] }
  }
  return judgeDns(host, { found, addresses: deps.addresses })
}

/** An IPv4 address goes into an A record, an IPv6 address into an AAAA record. */
function recordWords(addresses: readonly string[]): string {
  if (addresses.length === 0) return 'an A record'
  const usable = addresses.filter((address) => kindOfAddress(address) === 'public') // nobody outside can reach the others
  return (usable.length > 0 ? usable : addresses)
    .map((address) => `an ${address.includes(':') ? 'AAAA' : 'A'} record with ${address}`)
    .join(' or ')
}

export function judgeDns(host: string, known: { found: readonly string[]; addresses: readonly string[] }): DnsCheck {
  const { found, addresses } = known
  const here = addresses.join(' or ')
  if (found.length === 0) {
    return { dnsStatus: 'wrong', dnsError: `${host} has no address yet. Add ${recordWords(addresses)}.`, found }
  }
  if (addresses.length === 0) return { dnsStatus: 'unknown', dnsError: null, found }
  const elsewhere = found.filter((address) => !addresses.includes(address))
  if (elsewhere.length === 0) return { dnsStatus: 'ok', dnsError: null, found }
  // sorted, so that the same ones are named whatever order DNS returns them in
  const named = [...elsewhere.toSorted().slice(0, MOST_NAMED), ...(elsewhere.length > MOST_NAMED ? ['others'] : [])].join(' and ')
  const dnsError = `${host} points to ${named}, but this server is ${here}. Change the record, or keep it if there is a proxy in front of the server.`
  return { dnsStatus: 'wrong', dnsError, found }
}
