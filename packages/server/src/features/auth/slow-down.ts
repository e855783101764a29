const FREE_TRIES = 5
const STEP_MS = 100
const LONGEST_MS = 3000
const FORGET_AFTER_MS = 15 * 60 * 1000
const KEPT_ACCOUNTS = 10_000

/** Failed logins of one account are slowed, never refused: the owner of the right password always gets in. */
export function createSlowDown(now: () => Date) {
  const failures = new Map<string, { count: number; at: number }>()

  function delayMs(email: string): number {
    const known = failures.get(email)
    if (!known || now().getTime() - known.at > FORGET_AFTER_MS || known.count < FREE_TRIES) return 0
    return Math.min(LONGEST_MS, STEP_MS * 2 ** (known.count - FREE_TRIES))
  }

  function failed(email: string): void {
    if (failures.size >= KEPT_ACCOUNTS) failures.clear()
    failures.set(email, { count: (failures.get(email)?.count ?? 0) + 1, at: now().getTime() })
  }

  return { delayMs, failed, succeeded: (email: string) => void failures.delete(email) }
}
