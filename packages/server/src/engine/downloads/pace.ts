/** What every download must reach on average. The slowest DSL lines bring seven times as much. */
const LEAST_BYTES_A_MINUTE = 1024 * 1024
export function leastIn(ms: number): number {
  return (LEAST_BYTES_A_MINUTE * ms) / 60_000
}

export type Pace = ReturnType<typeof createPace>

/**
 * Counts what arrives, and says at the end of each window whether it was too little. Time passes only as fast as it is set: what a download
 * waits for or does on this machine is left out.
 */
export function createPace({ windowMs, onWindow }: { windowMs: number; onWindow: (isLate: boolean) => void }) {
  let leftMs = windowMs
  let moved = 0
  let speed = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined

  function set(next: number): void {
    if (next === speed) return
    const now = performance.now()
    leftMs -= (now - since) * speed
    since = now
    speed = next
    clearTimeout(timer)
    if (speed > 0) timer = setTimeout(endOfWindow, Math.max(1, leftMs / speed))
  }

  function endOfWindow(): void {
    const isLate = moved < leastIn(windowMs)
    const before = speed
    set(0)
    leftMs = windowMs
    moved = 0
    if (!isLate) set(before)
    onWindow(isLate)
  }

  return {
    moved: (bytes: number) => void (moved += bytes),
    /** How fast time passes from now on: 1 as usual, 0 not at all. */
    set,
    /** More time in this window. */
    grant: (ms: number) => {
      const before = speed
      set(0)
      leftMs += ms
      set(before)
    },
    end: () => set(0),
  }
}
