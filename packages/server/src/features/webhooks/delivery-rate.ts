const MOST_A_MINUTE = 120
const MINUTE_MS = 60_000

/** How many deliveries an account may send: whoever owns a host knows the secret, so a right signature alone is no limit. */
export function createDeliveryRate(now: () => Date) {
  let since = 0
  let counts = new Map<number, number>()

  /** False where this one is too many in this minute. */
  return (accountId: number): boolean => {
    const at = now().getTime()
    if (at < since || at - since >= MINUTE_MS) {
      since = at
      counts = new Map()
    }
    const count = (counts.get(accountId) ?? 0) + 1
    counts.set(accountId, count)
    return count <= MOST_A_MINUTE
  }
}
