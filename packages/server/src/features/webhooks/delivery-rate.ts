const MOST_A_MINUTE = 120
const MINUTE_MS = 60_000
/** A large one holds up everybody while it is read, so it counts as several. */
const BYTES_OF_ONE = 1024 * 1024

/** Limits deliveries per sender: the owner of a host knows the secret, so a valid signature is not a limit. */
export function createDeliveryRate(now: () => Date, most = MOST_A_MINUTE) {
  let since = 0
  let counts = new Map<string, number>()

  /** False if this is one too many in this minute. */
  return (sender: string, bytes = 0): boolean => {
    const at = now().getTime()
    if (at < since || at - since >= MINUTE_MS) {
      since = at
      counts = new Map()
    }
    const count = (counts.get(sender) ?? 0) + 1 + Math.floor(bytes / BYTES_OF_ONE)
    counts.set(sender, count)
    return count <= most
  }
}
