export const MOST_A_MINUTE = 120
/** A GitHub App has one webhook for all of its installations, which its deliveries name themselves. */
export const MOST_OF_APP = 600
const MINUTE_MS = 60_000
/** A large one holds up everybody while it is read, so it counts as several. */
const BYTES_OF_ONE = 1024 * 1024
const APPS_OF_ONE = 50

/** How many deliveries a body, or the apps that a push still concerns, count for. */
export function weightOf({ bytes = 0, apps = 0 }: { bytes?: number; apps?: number }): number {
  return Math.floor(bytes / BYTES_OF_ONE) + Math.floor(apps / APPS_OF_ONE)
}

/** Limits deliveries per sender: the owner of a host knows the secret, so a valid signature is not a limit. */
export function createDeliveryRate(now: () => Date) {
  let since = 0
  let counts = new Map<string, number>()

  /** False if this is one too many in this minute. */
  return (sender: string, weight = 1, most = MOST_A_MINUTE): boolean => {
    const at = now().getTime()
    if (at < since || at - since >= MINUTE_MS) {
      since = at
      counts = new Map()
    }
    const count = (counts.get(sender) ?? 0) + weight
    counts.set(sender, count)
    return count <= most
  }
}
