const MOST_A_MINUTE = 120
const MINUTE_MS = 60_000

/** Limits deliveries per sender: the owner of a host knows the secret, so a valid signature is not a limit. */
export function createDeliveryRate(now: () => Date) {
  let since = 0
  let counts = new Map<string, number>()

  /** False if this is one too many in this minute. */
  return (sender: string): boolean => {
    const at = now().getTime()
    if (at < since || at - since >= MINUTE_MS) {
      since = at
      counts = new Map()
    }
    const count = (counts.get(sender) ?? 0) + 1
    counts.set(sender, count)
    return count <= MOST_A_MINUTE
  }
}
