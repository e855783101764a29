export type BudgetLimits = { all: number; perKey: number }

/** Limits the bytes held at once, in total and per key. */
export function createByteBudget(limits: BudgetLimits) {
  const held = new Map<string, number>()
  let total = 0

  /** Whether the bytes fit; if so, the caller must release them later. */
  function take(key: string, bytes: number): boolean {
    const own = (held.get(key) ?? 0) + bytes
    if (total + bytes > limits.all || own > limits.perKey) return false
    held.set(key, own)
    total += bytes
    return true
  }

  function giveBack(key: string, bytes: number): void {
    const own = (held.get(key) ?? 0) - bytes
    total -= bytes
    if (own > 0) held.set(key, own)
    else held.delete(key)
  }

  return { take, giveBack }
}

export type ByteBudget = ReturnType<typeof createByteBudget>
