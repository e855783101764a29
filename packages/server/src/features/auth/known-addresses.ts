import { isIPv6 } from 'node:net'

const KEPT_PER_ACCOUNT = 8

/** A household has one IPv4 address, or an IPv6 /64 in which devices change their address daily. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

export type Login = { email: string; address: string }

/** The networks from which each account was recently used. Only a correct password adds one, so attackers cannot. */
export function createKnownAddresses(earlier: readonly Login[]) {
  const known = new Map<string, string[]>() // the newest last

  function add({ email, address }: Login): void {
    const network = networkOf(address)
    const others = (known.get(email) ?? []).filter((other) => other !== network)
    known.set(email, [...others, network].slice(-KEPT_PER_ACCOUNT))
  }

  /** The known network of the account that contains this address, if any. */
  function find({ email, address }: Login): string | undefined {
    return known.get(email)?.find((network) => network === networkOf(address))
  }

  for (const login of earlier) add(login)
  return { add, find }
}

export type KnownAddresses = ReturnType<typeof createKnownAddresses>
