/** Says "look again" to everyone who waits. It carries nothing: the log is the truth. */
export function createNudge() {
  let count = 0
  const waiting = new Set<() => void>()

  function nudge(): void {
    count += 1
    for (const wake of waiting) wake()
  }

  /** Leaves nothing behind, however it ends: on an idle server many wait again and again and nothing ever changes. */
  async function changedSince(seen: number, signal: AbortSignal): Promise<void> {
    if (count !== seen || signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  return { nudge, count: () => count, changedSince }
}

export type Nudge = ReturnType<typeof createNudge>
