const MOST_WEIGHT = 50
const BYTES_PER_WEIGHT = 64 * 1024

/**
 * When to forget the oldest deliveries of an account. To count what it has takes longer than to write a delivery, so that is done after
 * every fifty small ones or a few large ones.
 */
export function createTrimPlan() {
  const weights = new Map<number, number>()

  return function isDue(accountId: number, bytes: number): boolean {
    const weight = (weights.get(accountId) ?? 0) + 1 + bytes / BYTES_PER_WEIGHT
    weights.set(accountId, weight < MOST_WEIGHT ? weight : 0)
    return weight >= MOST_WEIGHT
  }
}
