import { isIPv6 } from 'node:net'

const KEPT_PER_ACCOUNT = 8

/** A household has one address, or a /64 in which its devices take a new one every day. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

export type Login = { email: string; address: string }

/** Where the people of each account have logged in from of late. Only a right password adds to it, so strangers cannot. */
export function createFamiliarAddresses(earlier: readonly Login[]) {
  const known = new Map<string, string[]>() // the newest last

  function add({ email, address }: Login): void {
    const network = networkOf(address)
    const others = (known.get(email) ?? []).filter((other) => other !== network)
    known.set(email, [...others, network].slice(-KEPT_PER_ACCOUNT))
  }

  /** The network by which the account knows this address, if it does. */
  function find({ email, address }: Login): string | undefined {
    return known.get(email)?.find((network) => network === networkOf(address))
  }

  for (const login of earlier) add(login)
  return { add, find }
}

export type FamiliarAddresses = ReturnType<typeof createFamiliarAddresses>
