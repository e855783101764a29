/** Says "look again" to everyone who waits. It carries nothing: the log is the truth. */
export function createNudge() {
  let count = 0
  let changed = Promise.withResolvers<void>()

  function nudge(): void {
    count += 1
    const waiting = changed
    changed = Promise.withResolvers<void>()
    waiting.resolve()
  }

  async function changedSince(seen: number, signal: AbortSignal): Promise<void> {
    if (count !== seen || signal.aborted) return
    const aborted = Promise.withResolvers<void>()
    const onAbort = () => aborted.resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    await Promise.race([changed.promise, aborted.promise])
    signal.removeEventListener('abort', onAbort)
  }

  return { nudge, count: () => count, changedSince }
}

export type Nudge = ReturnType<typeof createNudge>
